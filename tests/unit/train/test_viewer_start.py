"""A viewer that the system has no room for is refused with the reason, and leaves nothing; training knows nothing of it."""

from __future__ import annotations

import errno
import os
import shutil
from multiprocessing.context import SpawnProcess
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.events.commands import SetRender
from rltui.profile.load import load
from rltui.runs.paths import DataDir
from rltui.train.collect.worker_handle import why
from rltui.train.control.commands import LoopState
from rltui.train.setup import TrainOptions, prepare
from rltui.train.viewer import ViewerHost
from rltui.view.stream import WeightsBoard
from tests.fakes.courses import course
from tests.fakes.training import TINY

SHARED = Path("/dev/shm")
PLAYED = "the viewer cannot be started: "


class Asked:
    """A SetRender that waits for its answer."""

    by = "ada"

    def __init__(self, output: str = "") -> None:
        self.command, self.answers = SetRender(True, output), list[str]()

    def applied(self, detail: str) -> None:
        self.answers.append(f"applied: {detail}")

    def refused(self, reason: str) -> None:
        self.answers.append(reason)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> tuple[ViewerHost, list[str]]:
    folder = tmp_path_factory.mktemp("viewed")
    file = folder / "tiny.toml"
    file.write_text(TINY + "\n[render]\nat_start = true\n")
    prepared = prepare(TrainOptions(load(file), str(file), DataDir(folder / "data"), run="r"))
    lines: list[str] = []
    return ViewerHost(
        prepared, course(prepared), LoopState(), lambda level, text: lines.append(f"{level}: {text}")
    ), lines


def no_process(self: SpawnProcess) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def no_memory(self: SpawnProcess) -> None:
    raise MemoryError


def no_file(self: SharedMemory, *_: Any, **__: Any) -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize(
    ("of", "step", "failing", "words"),
    [
        (SpawnProcess, "start", no_process, why(BlockingIOError(errno.EAGAIN, ""))),
        (SpawnProcess, "start", no_memory, why(MemoryError())),
        (SharedMemory, "__init__", no_file, why(OSError(errno.EMFILE, ""))),
    ],
)
@pytest.mark.parametrize("output", ["", "recording"])
def test_what_keeps_a_viewer_from_starting_is_the_answer_and_no_error_of_training(
    host: tuple[ViewerHost, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    of: type[Any],
    step: str,
    failing: Any,
    words: str,
    output: str,
) -> None:
    viewer, lines = host
    lines.clear()
    boards, create = list[WeightsBoard](), WeightsBoard.create

    def made(parameters: int) -> WeightsBoard:
        boards.append(create(parameters))
        return boards[-1]

    monkeypatch.setattr(WeightsBoard, "create", made)
    monkeypatch.setattr(of, step, failing)
    asked = Asked(output)
    viewer.obey(cast(Any, asked))
    assert asked.answers == [PLAYED + words]
    assert lines == [f"error: {PLAYED}{words}; training goes on"]
    viewer.attend()
    viewer.publish(np.zeros(3, np.float32))
    live = viewer.live()
    assert live is not None and (live.state, live.problem) == ("failed", PLAYED + words)
    assert len(boards) == (of is SpawnProcess)
    for board in boards:
        with pytest.raises(ValueError, match="released"):
            board.memory.buf[0]  # it leaves nothing


def test_a_profile_that_wants_it_at_the_start_trains_without_it(
    host: tuple[ViewerHost, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer, lines = host
    lines.clear()
    monkeypatch.setattr(SpawnProcess, "start", no_process)
    viewer.begin()
    assert len(lines) == 1 and "training goes on" in lines[0]


@pytest.mark.skipif(not SHARED.is_dir(), reason="no /dev/shm")
def test_weights_are_not_written_where_shared_memory_has_no_room(
    host: tuple[ViewerHost, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system ends whoever does, without a word."""
    viewer, _ = host
    usage = shutil.disk_usage(SHARED)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(RltuiError, match=r"4\.0 kB of shared memory.*1\.0 kB free"):
        WeightsBoard.create(1000)
    asked = Asked()
    viewer.obey(cast(Any, asked))
    assert len(asked.answers) == 1 and "shared memory" in asked.answers[0]


def test_a_board_may_be_closed_twice() -> None:
    """As that of a viewer that was killed, when the run is closed."""
    board = WeightsBoard.create(3)
    board.close()
    board.close()
