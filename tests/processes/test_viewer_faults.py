"""The viewer's own ends: nobody listens, no host of that name, a full disk, a kill, a stop. Training goes on."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from rltui.events.commands import CommandRefused, SetRender
from rltui.events.records import IterationFinished, LogLine
from rltui.view.recording import Recording
from tests.fakes.asking import applied, ask
from tests.fakes.rocketsimvis import free_port
from tests.fakes.training import Training, runs, wait_for
from tests.fakes.viewed import playing, recorded, viewer, viewers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
SHARE = 0.03  # of the machine's processor time that rendering may cost


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    """A run that renders to a port of this machine at which nobody listens."""
    yield from started(tmp_path_factory, f"render.port={free_port()}")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    """A run that renders to a host that there is not."""
    yield from started(tmp_path_factory, 'render.host="no-such-host.invalid"')


def started(folders: pytest.TempPathFactory, setting: str) -> Iterator[Training]:
    run = Training(folders.mktemp("viewed"))
    try:
        run.start("--set", setting).wait_records(IterationFinished)
        yield run
    finally:
        run.kill_all()


def process_of(run: Training) -> psutil.Process:
    """The run's one viewer; the one before it may still be about to end."""
    return wait_for(lambda: found[0] if len(found := viewers(run)) == 1 else None, "one viewer")


def share(process: psutil.Process, seconds: int) -> float:
    """Of the machine's processor time that a process takes."""
    spent, began = sum(process.cpu_times()[:2]), time.monotonic()
    wait_for(lambda: time.monotonic() > began + seconds, "the time to pass", seconds + 1)
    return (sum(process.cpu_times()[:2]) - spent) / (time.monotonic() - began) / (os.cpu_count() or 1)


def said(run: Training) -> list[LogLine]:
    """Of the viewer, in the journal."""
    return [record for record in run.poll() if isinstance(record, LogLine) and record.source == "viewer"]


@pytest.mark.parametrize(
    ("where", "problem", "seconds"),
    [
        ("here", "nobody listens", 0),
        pytest.param("here", "nobody listens", 60, marks=pytest.mark.slow),
        pytest.param("elsewhere", "unknown host", 60, marks=pytest.mark.slow),
    ],
)
def test_rendering_to_nobody_is_one_notice_and_costs_little(
    request: pytest.FixtureRequest, where: str, problem: str, seconds: int
) -> None:
    """seconds: over which its share of the machine is measured; 0: it is not."""
    run: Training = request.getfixturevalue(where)
    before = len(said(run))
    applied(run, SetRender(True))
    wait_for(lambda: (found := viewer(run)) is not None and found.outputs and found.outputs[0].problem, "the problem")
    run.check_continues()
    if seconds:
        assert share(process_of(run), seconds) <= SHARE
    found = viewer(run)
    assert found is not None and found.state == "playing" and problem in found.outputs[0].problem
    applied(run, SetRender(False))
    troubles = [line for line in said(run)[before:] if line.level != "info"]
    assert len(troubles) == 1 and problem in troubles[0].message and troubles[0].level == "warning"


def test_a_recording_that_a_full_disk_refuses_goes_on_and_is_written_when_there_is_room(here: Training) -> None:
    applied(here, SetRender(True, "recording"))
    wait_for(lambda: recorded(here) > 10, "something recorded")
    process = process_of(here)
    process.rlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    answer = ask(here, SetRender(False, "recording"))
    assert isinstance(answer, CommandRefused)
    for words in ("cannot write", str(here.paths.recordings), "File too large", "it goes on; make room"):
        assert words in answer.reason
    so_far = recorded(here)
    assert so_far and not list(here.paths.recordings.glob("*.npz"))
    process.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert "rltui watch --replay" in applied(here, SetRender(False, "recording")).detail
    (file,) = here.paths.recordings.glob("*.npz")
    assert len(Recording(file)) >= so_far
    file.unlink()


def test_what_a_killed_viewer_takes_with_it_is_said_and_another_can_be_had(here: Training) -> None:
    applied(here, SetRender(True, "recording"))
    wait_for(lambda: recorded(here) > 10, "something recorded")
    process_of(here).kill()
    failed = wait_for(lambda: (found := viewer(here)) is not None and found.state == "failed" and found, "the failure")
    assert "SIGKILL" in failed.problem
    here.check_continues()
    assert said(here)[-1].level == "error" and "moments is lost" in said(here)[-1].message
    assert not list(here.paths.recordings.iterdir())
    applied(here, SetRender(True))
    assert playing(here).state == "playing"
    applied(here, SetRender(False))


@pytest.mark.slow
def test_a_stopped_viewer_is_said_to_be_silent_and_ended_when_it_is_switched_off(here: Training) -> None:
    applied(here, SetRender(True))
    process = process_of(here)
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: (found := viewer(here)) is not None and "silent for" in found.problem, "the silence", 10.0)
    here.check_continues()
    applied(here, SetRender(False))
    wait_for(lambda: viewer(here) is None, "a live frame without it")
    wait_for(lambda: not runs(process), "its end", 10.0)
    here.check_continues()
