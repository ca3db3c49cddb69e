"""Viewer host: what a viewer process answers, and what keeps one from starting; training knows nothing of either."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
from itertools import product
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.events.commands import CommandApplied, CommandRefused, OutputLive, SetRender
from rltui.profile.load import load
from rltui.runs.paths import DataDir
from rltui.train.active_task import LoopState
from rltui.train.collect.worker_handle import why
from rltui.train.control.commands import CommandQueue, PendingCommand
from rltui.train.setup import TrainOptions, prepare
from rltui.train.viewer import ViewerChild, ViewerHost
from rltui.view.stream import WeightsBoard
from rltui.view.viewer_process import Playing, ToViewer, ViewerFailed, encode
from tests.fakes.bots import write_bot
from tests.fakes.saved_runs import save
from tests.fakes.tasks import active_task
from tests.fakes.training import TINY


class PlayedProcess:
    """A process that is there until it is told otherwise."""

    pid = 4711
    exitcode: int | None = None

    def is_alive(self) -> bool:
        return self.exitcode is None

    def kill(self) -> None:
        self.exitcode = -9

    def join(self) -> None:
        pass


class PlayedBoard:
    def close(self) -> None:
        pass


def ask(host: ViewerHost, command: SetRender) -> list[str]:
    """The answers to it: empty until there is one."""
    answers: list[str] = []

    def answer(pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        answers.append(outcome.detail if isinstance(outcome, CommandApplied) else f"refused: {outcome.reason}")

    host._queue.put(PendingCommand(1, command, "ada", answer))
    host._queue.check(lambda command: "")
    host.poll()
    return answers


def played() -> tuple[ViewerChild, PlayedProcess, Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = PlayedProcess()
    return ViewerChild(cast(Any, process), ours, cast(Any, PlayedBoard()), {}), process, theirs


def host_of(running: ViewerChild, *ended: ViewerChild) -> tuple[ViewerHost, list[str]]:
    lines: list[str] = []
    host = ViewerHost(
        cast(Any, SimpleNamespace(context=None)),
        cast(Any, None),
        CommandQueue(),
        lambda level, text: lines.append(text),
    )
    host._running, host._ended = running, list(ended)
    return host, lines


def say(pipe: Connection, message: Any) -> None:
    pipe.send_bytes(encode(cast(ToViewer, message)))


def test_the_last_words_of_a_viewer_told_to_close_are_no_answer_to_who_waits_for_the_next() -> None:
    old, old_process, old_end = played()
    new, _, new_end = played()
    host, _ = host_of(new, old)
    answers = ask(host, SetRender(True))
    say(old_end, Playing(1, "a", []))
    old_process.exitcode = 0
    host.poll()
    assert answers == []
    say(new_end, Playing(2, "b", []))
    host.poll()
    assert answers == ["the viewer plays"]


def test_who_waits_is_told_how_it_ended_by_itself(subtests: pytest.Subtests) -> None:
    cases = [
        (-9, None, "the viewer ended: SIGKILL"),
        (3, None, "exit code 3"),
        (1, ViewerFailed("no mesh", "trace"), "no mesh"),
    ]
    for exitcode, failure, words in cases:
        with subtests.test(words=str(words)):
            child, process, end = played()
            host, lines = host_of(child)
            answers = ask(host, SetRender(True))
            if failure is not None:
                say(end, failure)
            process.exitcode = exitcode
            host.poll()
            assert len(answers) == 1 and words in answers[0]
            assert len(lines) == 1 and words in lines[0] and "training goes on" in lines[0]
            live = host.live()
            assert live is not None and live.state == "failed" and words in live.problem


def test_who_has_a_long_recording_to_write_is_given_the_time_for_it(subtests: pytest.Subtests) -> None:
    """Two hours of 1v1 are 1.5 s of a processor, of which a machine that trains leaves a tenth."""
    cases = [(0, 4, False), (0, 6, True), (216_000, 40, False), (216_000, 60, True)]
    for moments, seconds, overdue in cases:
        with subtests.test(overdue=str(overdue)):
            child, _, _ = played()
            child.playing = Playing(
                1, "", [OutputLive("rocketsimvis", "", 10**6), OutputLive("recording", "", moments)]
            )
            child.close()
            child.last_message -= seconds
            assert child.is_overdue == overdue


SHARED = Path("/dev/shm")
PLAYED = "cannot start the viewer: "


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> tuple[ViewerHost, list[str]]:
    folder = tmp_path_factory.mktemp("viewed")
    file = folder / "tiny.toml"
    file.write_text(TINY + "\n[render]\nat_start = true\n")
    context = prepare(TrainOptions(load(file), str(file), DataDir(folder / "data"), run="r"))
    lines: list[str] = []
    return ViewerHost(
        active_task(context),
        LoopState(lambda record: None),
        CommandQueue(),
        lambda level, text: lines.append(f"{level}: {text}"),
    ), lines


def no_process(self: SpawnProcess) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def no_memory(self: SpawnProcess) -> None:
    raise MemoryError


def no_file(self: SharedMemory, *_: Any, **__: Any) -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_what_keeps_a_viewer_from_starting_is_the_answer_and_no_error_of_training(
    host: tuple[ViewerHost, list[str]], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[type[Any], str, Any, str]] = [
        (SpawnProcess, "start", no_process, why(BlockingIOError(errno.EAGAIN, ""))),
        (SpawnProcess, "start", no_memory, why(MemoryError())),
        (SharedMemory, "__init__", no_file, why(OSError(errno.EMFILE, ""))),
    ]
    for (of, step, failing, words), output in product(cases, ("", "recording")):
        with subtests.test(words, output=output):
            viewer, lines = host
            lines.clear()
            boards = list[WeightsBoard]()

            def made(parameters: int, create: Any = WeightsBoard.create, boards: Any = boards) -> WeightsBoard:
                boards.append(create(parameters))
                return boards[-1]

            with monkeypatch.context() as patch:
                patch.setattr(WeightsBoard, "create", made)
                patch.setattr(of, step, failing)
                answers = ask(viewer, SetRender(True, output))
            assert answers == [f"refused: {PLAYED}{words}"]
            assert lines == [f"error: {PLAYED}{words}; training goes on"]
            viewer.poll()
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
    answers = ask(viewer, SetRender(True))
    assert len(answers) == 1 and "shared memory" in answers[0]


def test_a_board_may_be_closed_twice() -> None:
    """As that of a viewer that was killed, when the run is closed."""
    board = WeightsBoard.create(3)
    board.close()
    board.close()


def test_orange_of_the_viewer_is_who_plays_it_in_training(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """The newest state where that is the run's own, the bot itself before there is one."""
    file, data = tmp_path / "tiny.toml", DataDir(tmp_path / "data")
    file.write_text(TINY)
    write_bot(tmp_path / "bots" / "best", str(file))
    for opponent, expected in (
        ("mirror", [None, None]),
        ("chaser", [None, None]),
        ("checkpoints", [None, "2,000"]),
        ("./bots/best", ["bots/best"] * 2),
    ):
        with subtests.test(opponent=opponent):
            file.write_text(f'{TINY}[game]\nopponent = "{opponent}"\n')
            context = prepare(
                TrainOptions(load(file), str(file), data, run=f"r-{opponent.strip('./').replace('/', '-')}")
            )
            host = ViewerHost(active_task(context), LoopState(lambda _: None), CommandQueue(), lambda *_: None)
            found = [host._orange(context.config.spec)]
            for commit in (1, 2):
                save(context.paths, commit, 1000 * commit)
            found.append(host._orange(context.config.spec))
            assert [None if source is None else source.name for source in found] == expected
