"""The queue of commands, and how urgently a run shall end, by signals and commands."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from rltui.events.commands import Command, CommandApplied, CommandRefused, Pause, Resume, SaveCheckpoint, Stop
from rltui.train.control.commands import CommandQueue, PendingCommand, StopNow, StopRequest, Urgency


@pytest.fixture
def abandoned() -> list[str]:
    return []


@pytest.fixture
def stop(abandoned: list[str]) -> Iterator[StopRequest]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    request = StopRequest(lambda: abandoned.append("abandoned"))
    request.install()
    yield request
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_each_ctrl_c_is_more_urgent(stop: StopRequest, abandoned: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    assert stop.urgency is Urgency.FINISH
    stop.check()
    os.kill(os.getpid(), signal.SIGINT)
    assert stop.urgency is Urgency.NOW
    with pytest.raises(StopNow):
        stop.check()
    assert abandoned == []
    os.kill(os.getpid(), signal.SIGINT)
    assert (stop.urgency, abandoned) == (Urgency.ABANDON, ["abandoned"])


def test_a_ctrl_c_after_another_stop_is_the_first_one(stop: StopRequest, abandoned: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    assert (stop.urgency, stop.reason) == (Urgency.FINISH, "SIGTERM")
    stop.request(Urgency.NOW, "stop (now)")
    os.kill(os.getpid(), signal.SIGINT)
    assert (stop.urgency, abandoned) == (Urgency.NOW, [])


def test_after_the_end_signals_change_nothing_but_a_third_ctrl_c_still_ends_it_at_once(
    stop: StopRequest, abandoned: list[str]
) -> None:
    stop.close()
    for _ in range(4):
        os.kill(os.getpid(), signal.SIGTERM)
    assert stop.urgency == Urgency.NONE
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
    assert abandoned == []
    os.kill(os.getpid(), signal.SIGINT)
    assert len(abandoned) == 1


def test_commands_are_checked_once_and_taken_kind_by_kind_in_order() -> None:
    refused: list[str] = []

    def answer(pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        assert isinstance(outcome, CommandRefused)
        refused.append(f"{pending.id} {outcome.reason}")

    queue = CommandQueue()
    commands: list[Command] = [Pause(), SaveCheckpoint(), Resume(), Stop(), SaveCheckpoint()]
    first, save, resume, stop, again = [PendingCommand(n, command, "ada", answer) for n, command in enumerate(commands)]
    for pending in (first, save, resume, stop):
        queue.put(pending)
    assert queue.take(Pause) == queue.waiting(Pause) == [], "not checked yet"
    queue.check(lambda command: "no" if isinstance(command, Stop) else "")
    queue.check(lambda command: "checked again")
    assert refused == ["3 no"]
    assert queue.take(Pause, Resume) == [first, resume]
    queue.put(again)
    assert queue.waiting(SaveCheckpoint) == [save]
    assert queue.take_all() == [save, again]
    assert queue.take_all() == []
