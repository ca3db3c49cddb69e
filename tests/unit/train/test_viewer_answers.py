"""What viewer processes say to their host, over real pipes; the processes themselves are played."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any, cast

import pytest

from rltui.events.commands import OutputLive, SetRender
from rltui.train.viewer import ViewerChild, ViewerHost
from rltui.view.viewer_process import Playing, ToViewer, ViewerFailed, encode


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


class Asked:
    """A SetRender that waits for its answer."""

    command, by = SetRender(True), "ada"

    def __init__(self) -> None:
        self.answers: list[str] = []

    def applied(self, detail: str) -> None:
        self.answers.append(detail)

    def refused(self, reason: str) -> None:
        self.answers.append(f"refused: {reason}")


def played() -> tuple[ViewerChild, PlayedProcess, Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = PlayedProcess()
    return ViewerChild(cast(Any, process), ours, cast(Any, PlayedBoard()), {}), process, theirs


def host_of(running: ViewerChild, *ended: ViewerChild) -> tuple[ViewerHost, list[str]]:
    lines: list[str] = []
    host = ViewerHost(cast(Any, None), cast(Any, None), cast(Any, None), lambda level, text: lines.append(text))
    host._running, host._ended = running, list(ended)
    return host, lines


def say(pipe: Connection, message: Any) -> None:
    pipe.send_bytes(encode(cast(ToViewer, message)))


def test_the_last_words_of_a_viewer_told_to_close_are_no_answer_to_who_waits_for_the_next() -> None:
    old, old_process, old_end = played()
    new, _, new_end = played()
    host, _ = host_of(new, old)
    asked = Asked()
    host.obey(cast(Any, asked))
    say(old_end, Playing(1, "a", []))
    old_process.exitcode = 0
    host.attend()
    assert asked.answers == []
    say(new_end, Playing(2, "b", []))
    host.attend()
    assert asked.answers == ["the viewer plays"]


@pytest.mark.parametrize(
    ("exitcode", "failure", "words"),
    [
        (-9, None, "the viewer ended: killed by signal 9"),
        (3, None, "exit code 3"),
        (1, ViewerFailed("no mesh", "trace"), "no mesh"),
    ],
)
def test_who_waits_is_told_how_it_ended_by_itself(exitcode: int, failure: ViewerFailed | None, words: str) -> None:
    child, process, end = played()
    host, lines = host_of(child)
    asked = Asked()
    host.obey(cast(Any, asked))
    if failure is not None:
        say(end, failure)
    process.exitcode = exitcode
    host.attend()
    assert len(asked.answers) == 1 and words in asked.answers[0]
    assert len(lines) == 1 and words in lines[0] and "training goes on" in lines[0]
    live = host.live()
    assert live is not None and live.state == "failed" and words in live.problem


@pytest.mark.parametrize(
    ("moments", "seconds", "overdue"), [(0, 4, False), (0, 6, True), (216_000, 40, False), (216_000, 60, True)]
)
def test_who_has_a_long_recording_to_write_is_given_the_time_for_it(moments: int, seconds: int, overdue: bool) -> None:
    """Two hours of 1v1 are 1.5 s of a processor, of which a machine that trains leaves a tenth."""
    child, _, _ = played()
    child.playing = Playing(1, "", [OutputLive("rocketsimvis", "", 10**6), OutputLive("recording", "", moments)])
    child.close()
    child.heard -= seconds
    assert child.is_overdue == overdue
