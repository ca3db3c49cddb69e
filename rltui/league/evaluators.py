"""Processes that play an evaluation's tasks, of low priority."""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import msgspec

from rltui.errors import RltuiError, in_words, users_line
from rltui.league.evaluation import MatchUp, Task, TaskDone, play
from rltui.supervise.processes import start_piped
from rltui.supervise.signals import become_subordinate, exit_words

TELL = 0.2  # seconds between two words of how far it is
LOOK = 0.1  # seconds between two looks whether to stop
LIVES = 3  # processes that a task may cost


class TicksPlayed(msgspec.Struct, frozen=True, tag="played"):
    """How much of the task's games has been played since the last word: ticks, summed over them."""

    ticks: int


class TaskFailed(msgspec.Struct, frozen=True, tag="failed"):
    """The process raised. Sent just before it exits. hint: what helps, or the whole trace."""

    reason: str
    hint: str


FromEvaluator = TicksPlayed | TaskDone | TaskFailed

_encode = msgspec.msgpack.Encoder().encode
_decode_task = msgspec.msgpack.Decoder(Task).decode
_decode_said = msgspec.msgpack.Decoder(FromEvaluator).decode


@dataclass(frozen=True)
class EvaluatorSpec:
    """What a process is started with: plain data. nice: niceness on top of ours."""

    match_up: MatchUp
    nice: int


def main(spec: EvaluatorSpec, pipe: Connection) -> None:
    """Entry point of the spawned process."""
    become_subordinate(spec.nice)
    os.dup2(2, 1)  # what a user's component prints is no part of the result
    try:
        while True:
            task = _decode_task(pipe.recv_bytes())
            pipe.send_bytes(_encode(play(spec.match_up, task, _Teller(pipe).add)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nothing more to play, or no one is left to tell
    except Exception as error:  # whatever a user's component raised travels whole
        with contextlib.suppress(OSError):
            pipe.send_bytes(_encode(failure(error)))
        raise SystemExit(1) from None


def failure(error: Exception) -> TaskFailed:
    """What it says, and whose line raised it."""
    if isinstance(error, RltuiError):
        return TaskFailed(error.message, error.hint)
    place = users_line(error)
    return TaskFailed(f"{f'{place}: ' if place else ''}{in_words(error)}", traceback.format_exc().strip())


class _Teller:
    """Says now and then how far the process is."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._ticks, self._said = pipe, 0, time.monotonic()

    def add(self, ticks: int) -> None:
        self._ticks += ticks
        now = time.monotonic()
        if now - self._said >= TELL:
            self._pipe.send_bytes(_encode(TicksPlayed(self._ticks)))
            self._ticks, self._said = 0, now


@dataclass
class _Evaluator:
    process: SpawnProcess
    pipe: Connection
    task: Task | None = None


class Evaluators:
    """Plays tasks in `count` processes at the most, which are killed when it is closed: use it as a context."""

    def __init__(self, match_up: MatchUp, count: int, nice: int = 0) -> None:
        self._spec, self._count = EvaluatorSpec(match_up, nice), count
        self._running: list[_Evaluator] = []
        self._waiting: list[Task] = []  # the next one last
        self._lost: dict[int, int] = {}  # first pair of a task → processes that it cost

    def __enter__(self) -> Evaluators:
        return self

    def __exit__(self, *_: object) -> None:
        """At once: what is being played is given up."""
        for each in self._running:
            each.process.kill()
        for each in self._running:
            each.process.join()
            each.pipe.close()
        self._running.clear()

    def played(
        self, tasks: Sequence[Task], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[TicksPlayed | TaskDone]:
        """What the processes say until all is done, or `stopped`. RltuiError where one raises, or a task has cost LIVES of them."""
        self._waiting = list(reversed(tasks))
        for number in range(min(self._count, len(tasks))):
            self._start(number)
        while self._running and not stopped():
            heard = {id(pipe) for pipe in wait([each.pipe for each in self._running], LOOK)}
            for each in [each for each in self._running if id(each.pipe) in heard]:
                said = self._hear(each)
                if said is not None:
                    yield said

    def _start(self, number: int) -> None:
        try:
            process, pipe = start_piped(main, self._spec, f"evaluator {number}")
        except (OSError, MemoryError) as error:
            if self._running:
                return  # with fewer, then
            raise RltuiError(f"no process to play games could be started: {error}", "close other programs") from error
        self._running.append(_Evaluator(process, pipe))
        self._give(self._running[-1])

    def _give(self, each: _Evaluator) -> None:
        """The next task; where there is none, it ends."""
        each.task = self._waiting.pop() if self._waiting else None
        if each.task is None:
            self._end(each)
            return
        with contextlib.suppress(OSError):  # it has died: the pipe's end says so next
            each.pipe.send_bytes(_encode(each.task))

    def _hear(self, each: _Evaluator) -> TicksPlayed | TaskDone | None:
        try:
            said: FromEvaluator = _decode_said(each.pipe.recv_bytes())
        except (EOFError, OSError):
            self._replace(each)
            return None
        if isinstance(said, TaskFailed):
            raise RltuiError(f"a game could not be played: {said.reason}", said.hint)
        if isinstance(said, TaskDone):
            self._give(each)
        return said

    def _replace(self, each: _Evaluator) -> None:
        """It has ended by itself: its task is played anew, which gives the same games."""
        task = each.task
        self._end(each)
        if task is None:
            return
        lost = self._lost[task.first] = self._lost.get(task.first, 0) + 1
        if lost == LIVES:
            how = exit_words(each.process.exitcode)
            raise RltuiError(
                f"{LIVES} processes that played the same games ended: {how}", "is memory short? try --workers 1"
            )
        self._waiting.append(task)
        self._start(len(self._running))

    def _end(self, each: _Evaluator) -> None:
        each.pipe.close()
        each.process.join()
        self._running.remove(each)
