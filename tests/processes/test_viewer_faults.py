"""FAULTS F33 and the viewer's own ends: nobody listens, no host of that name, a full disk, a kill, a stop. Training goes on."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from rltui.events.commands import CommandRefused, NextPhase, SetRender
from rltui.events.records import IterationFinished, LogLine, PhaseChanged
from rltui.view.recording import Recording
from tests.fakes.asking import applied, ask
from tests.fakes.phases import phase, small
from tests.fakes.rocketsimvis import free_port
from tests.fakes.training import Training, runs, wait_for
from tests.fakes.viewed import frames, viewer, viewers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
CAMPAIGN = """\
schema = 1
[curriculum]
phases = [{profile = "first", until = {goals_per_minute = 1000}}, {profile = "second"}]
""" + small()
SHARE = 0.03  # of the machine's processor time that rendering may cost
CORES = os.cpu_count() or 1


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


def said(run: Training) -> list[LogLine]:
    """Of the viewer, in the journal."""
    return [record for record in run.poll() if isinstance(record, LogLine) and record.source == "viewer"]


def recorded(run: Training) -> int:
    """Moments that the recording holds."""
    found = viewer(run)
    outputs = found.outputs if found is not None else []
    return next((output.sent for output in outputs if output.name == "recording"), 0)


@pytest.mark.parametrize(
    ("where", "problem", "seconds"),
    [
        ("here", "nobody listens", 1.0),
        pytest.param("here", "nobody listens", 60.0, marks=pytest.mark.slow),
        pytest.param("elsewhere", "unknown host", 60.0, marks=pytest.mark.slow),
    ],
)
def test_rendering_to_nobody_is_one_notice_and_costs_little(
    request: pytest.FixtureRequest, where: str, problem: str, seconds: float
) -> None:
    run: Training = request.getfixturevalue(where)
    before = len(said(run))
    applied(run, SetRender(True))
    wait_for(lambda: (found := viewer(run)) is not None and found.outputs and found.outputs[0].problem, "the problem")
    process = process_of(run)
    spent, began = sum(process.cpu_times()[:2]), time.monotonic()
    wait_for(lambda: time.monotonic() > began + seconds, "the time to pass", seconds + 1)
    share = (sum(process.cpu_times()[:2]) - spent) / (time.monotonic() - began) / CORES
    found = viewer(run)
    assert found is not None and found.state == "playing" and problem in found.outputs[0].problem
    run.check_continues()
    applied(run, SetRender(False))
    troubles = [line for line in said(run)[before:] if line.level != "info"]
    print(
        f"the viewer took {100 * share:.2f} % of the machine over {seconds:.0f} s; {[line.message for line in troubles]}"
    )
    assert len(troubles) == 1 and problem in troubles[0].message and troubles[0].level == "warning"
    assert share <= SHARE


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


def test_what_a_killed_viewer_takes_with_it_is_said(here: Training) -> None:
    applied(here, SetRender(True, "recording"))
    wait_for(lambda: recorded(here) > 10, "something recorded")
    process_of(here).kill()
    failed = wait_for(lambda: (found := viewer(here)) is not None and found.state == "failed" and found, "the failure")
    assert "killed by signal 9" in failed.problem
    here.check_continues()
    assert said(here)[-1].level == "error" and "moments is lost" in said(here)[-1].message
    assert not list(here.paths.recordings.iterdir())


def test_a_viewer_that_is_on_goes_on_with_the_next_phase(training: Training) -> None:
    """Its match is then that phase's, with the outputs it had; what was recorded before is kept."""
    for name, number, rewards in (("first", 1, "touch = 1"), ("second", 2, "goal = 5\nface_ball = 0.01")):
        (training.folder / f"{name}.toml").write_text(phase(name, number, rewards))
    training.profile = CAMPAIGN
    training.start("--set", f"render.port={free_port()}").wait_records(IterationFinished)
    applied(training, SetRender(True, "recording"))
    wait_for(lambda: recorded(training) > 10, "something recorded")
    first = process_of(training)
    assert watched_rewards(training) == ("touch",)
    applied(training, NextPhase())
    training.wait_records(PhaseChanged)
    wait_for(lambda: not runs(first), "the end of the first phase's viewer")
    wait_for(lambda: (found := viewer(training)) is not None and found.state == "playing", "the second phase's")
    assert watched_rewards(training) == ("goal", "face_ball")
    wait_for(lambda: recorded(training) > 0, "a recording of the second phase")
    (kept,) = training.paths.recordings.glob("*.npz")
    assert len(Recording(kept)) > 10
    training.check_continues()


def watched_rewards(run: Training) -> tuple[str, ...]:
    """Of the match that the viewer shows now."""
    found = viewer(run)
    assert found is not None
    return tuple(frames(found.address, 1)[-1].names)


@pytest.mark.slow
def test_a_stopped_viewer_is_said_to_be_silent_and_ended_when_it_is_switched_off(here: Training) -> None:
    applied(here, SetRender(True))
    process = process_of(here)
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: (found := viewer(here)) is not None and "no word of it" in found.problem, "the silence", 10.0)
    here.check_continues()
    applied(here, SetRender(False))
    wait_for(lambda: viewer(here) is None, "a live frame without it")
    wait_for(lambda: not runs(process), "its end", 10.0)
    here.check_continues()
