"""A control socket that somebody takes away: the system itself, with /run/user/<uid> when the user logs out, or a sweep of /tmp."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.events.commands import Live
from rltui.events.records import LogLine
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient, TrainerSilentError
from rltui.train.control import server as control_loop
from rltui.train.control.server import ControlServer
from tests.fakes import run_story
from tests.fakes.training import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes have no file")
SECONDS = 10.0


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the system has for a user who is logged in, beside one for temporary files; their paths are short."""
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        folder, other = Path(short, "run"), Path(short, "tmp")
        folder.mkdir(), other.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        monkeypatch.setattr(tempfile, "tempdir", str(other))
        monkeypatch.setattr(control_loop, "LOOK", 0.05)
        yield folder


@pytest.fixture
def paths(tmp_path: Path, runtime: Path) -> RunPaths:
    made = DataDir(tmp_path / "data").run("alpha")
    made.folder.mkdir(parents=True)
    return made


@pytest.fixture
def log() -> list[object]:
    return []


@pytest.fixture
def server(paths: RunPaths, log: list[object]) -> Iterator[ControlServer]:
    with RunLock(paths), ControlServer(paths, "alpha", log.append) as running:
        yield running


def address(paths: RunPaths) -> Path:
    found = sockets.read(paths.socket_file)
    assert found is not None
    return Path(found.address)


def lines(log: list[object]) -> list[str]:
    return [f"{line.level}: {line.message}" for line in log if isinstance(line, LogLine)]


def attached(paths: RunPaths) -> bool:
    try:
        with ControlClient("eve", readonly=True) as client:
            client.connect(paths)
    except RltuiError:
        return False
    return True


@pytest.mark.parametrize("folder_too", [False, True])
def test_it_is_made_again_and_said_once(
    server: ControlServer, paths: RunPaths, log: list[object], runtime: Path, folder_too: bool
) -> None:
    before = address(paths)
    with ControlClient("ada") as client:
        client.connect(paths)
        if folder_too:
            shutil.rmtree(runtime)
        else:
            before.unlink()
        wait_for(lambda: attached(paths), "a new client", SECONDS)
        server.show(run_story.live(1.0))
        wait_for(lambda: any(isinstance(message, Live) for message in client.poll(0.1)), "who was attached", SECONDS)
    now = address(paths)
    assert (now == before) != folder_too
    assert lines(log) == [f"warning: the control socket was taken away; it is now {now}"]
    server.close()
    assert not any(path.exists() for path in (paths.socket_file, before, now))


def test_where_it_cannot_be_made_again_that_is_said_once_and_tried_on(
    server: ControlServer, paths: RunPaths, log: list[object]
) -> None:
    place = address(paths)
    place.unlink()
    place.mkdir()
    wait_for(lambda: lines(log), "the trouble to be said", SECONDS)
    assert lines(log)[0].startswith("error: the control socket was taken away, and cannot be made again: ")
    place.rmdir()
    wait_for(lambda: attached(paths), "a new client", SECONDS)
    assert len(lines(log)) == 2


def test_until_then_nobody_is_told_that_the_trainer_has_ended(paths: RunPaths) -> None:
    """It holds the run's lock, so it is there."""
    sockets.write(paths.socket_file, sockets.choose(paths.folder))
    with RunLock(paths), pytest.raises(TrainerSilentError, match="lost its control socket"):
        ControlClient().connect(paths)
