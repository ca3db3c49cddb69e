"""Host of the process that evaluates a run's milestones beside training: one at a time, polled by the training loop.

A newer milestone takes the place of one that waits; a checkpoint waits only where nothing else does. The loop never waits.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import msgspec

from rltui.events.commands import EvaluationLive
from rltui.events.records import CheckpointSaved, Level, LogLine, Record, StateEvaluated
from rltui.formatting import short
from rltui.league.state_evaluation import (
    EvaluationProgress,
    Said,
    StateEvaluationSpec,
    decode,
    main,
    not_evaluated,
)
from rltui.profile.models import EvaluationSection
from rltui.runs.inventory import list_milestones
from rltui.runs.paths import RunPaths
from rltui.supervise.output_log import OutputLog
from rltui.supervise.processes import start_piped
from rltui.supervise.signals import exit_words
from rltui.train.collect.worker_handle import why

NICE = 19  # the lowest priority there is
MANY = 3  # milestones passed over before a warning
Start = Callable[[StateEvaluationSpec], tuple[SpawnProcess, Connection]]


@dataclass(frozen=True)
class _Waiting:
    path: Path
    timesteps: int
    milestone: bool


@dataclass(frozen=True)
class _Running:
    timesteps: int
    milestone: bool
    process: SpawnProcess
    pipe: Connection
    progress: EvaluationProgress | None = None

    def release(self) -> None:
        """At once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class StateEvaluator:
    """Host of the processes that evaluate saved states. Without games it starts none."""

    def __init__(
        self,
        paths: RunPaths,
        section: EvaluationSection,
        publish: Callable[[Record], None],
        output: OutputLog | None = None,
        start: Start | None = None,
    ) -> None:
        """start: another way to start the process, for tests."""
        self._paths, self._section, self._publish, self._output = paths, section, publish, output
        self._start_process = start or self._started
        self._lock = threading.Lock()  # states are saved on a thread of its own
        self._waiting: _Waiting | None = None
        self._running: _Running | None = None
        self._checkpoints = self._milestones = self._passed_over = 0
        self._warned = False

    def begin(self, timesteps: int) -> None:
        """The newest milestone at a start: what its games lack is played, and what they say known again."""
        if not self._section.games:
            return
        for info in list_milestones(self._paths):
            if info.usable and info.timesteps is not None and info.timesteps <= timesteps:
                self._wait(_Waiting(info.path, info.timesteps, milestone=True))

    def saved(self, record: CheckpointSaved) -> None:
        """See to a state that was saved. From any thread."""
        if not self._section.games:
            return
        milestone = record.kind == "milestone"
        if milestone:
            self._count()
        else:
            self._checkpoints += 1
            every = self._section.every_checkpoints
            if not every or self._checkpoints % every:
                return
        self._wait(_Waiting(Path(record.path), record.timesteps, milestone))

    def poll(self) -> StateEvaluated | None:
        """Hear the process, and start the next one. What has come of one, once."""
        found = self._heard() if self._running is not None else None
        with self._lock:
            if self._running is None and self._waiting is not None:
                waiting, self._waiting = self._waiting, None
                self._start(waiting)
        return found

    def keeps(self) -> frozenset[int]:
        """Timesteps of states that must not be pruned: waiting, or being evaluated. From any thread."""
        with self._lock:
            return frozenset(each.timesteps for each in (self._waiting, self._running) if each is not None)

    def live(self) -> EvaluationLive | None:
        """What is being played, and what waits; None without games. From any thread."""
        if not self._section.games:
            return None
        with self._lock:
            running, waiting = self._running, self._waiting
        progress = running.progress if running is not None else None
        return EvaluationLive(
            running.timesteps if running is not None else None,
            running.process.pid if running is not None else None,
            waiting.timesteps if waiting is not None else None,
            progress.games if progress is not None else 0,
            progress.share if progress is not None else None,
        )

    def end(self) -> None:
        """The training ends: say what was not evaluated, and what plays it."""
        if self._running is not None:
            self._heard()
        left = [each.timesteps for each in (self._running, self._waiting) if each is not None and each.milestone]
        self.close()
        if left:
            command = f"rltui ladder {self._paths.name} --games {self._section.games}"
            passed = self._passed_over
            over = f" ({passed:,} before {'was' if passed == 1 else 'were'} passed over)" if passed else ""
            self._say(
                "info",
                f"not evaluated: {' and '.join(map(short, left))}{over}; the next start plays the newest, or: {command}",
            )

    def close(self) -> None:
        """What is being played is given up; the games that are finished are in the log."""
        running, self._running = self._running, None
        if running is not None:
            running.release()

    def _count(self) -> None:
        """One more milestone was saved, which takes the place of one that waits; warn once where that is the rule."""
        with self._lock:
            self._milestones += 1
            self._passed_over += self._waiting is not None and self._waiting.milestone
            over, saved = self._passed_over, self._milestones
        if not self._warned and over >= MANY and 2 * over >= saved:
            self._warned = True
            self._say(
                "warning",
                f"{over} of {saved} milestones were passed over: milestone_interval is shorter than their games take\n"
                "a longer milestone_interval, or fewer evaluation.games, lets each play",
            )

    def _say(self, level: Level, message: str) -> None:
        self._publish(LogLine(time=time.time(), level=level, source="evaluation", message=message))

    def _wait(self, newer: _Waiting) -> None:
        with self._lock:
            old = self._waiting
            same = self._running is not None and self._running.timesteps == newer.timesteps
            if not same and (old is None or newer.milestone or not old.milestone):
                self._waiting = newer

    def _start(self, waiting: _Waiting) -> None:
        section = self._section
        spec = StateEvaluationSpec(self._paths, waiting.path, waiting.timesteps, section.games, section.seconds, NICE)
        try:
            self._running = _Running(waiting.timesteps, waiting.milestone, *self._start_process(spec))
        except (OSError, MemoryError) as error:
            self._publish(not_evaluated(waiting.timesteps, f"no process could be started: {why(error)}"))

    def _started(self, spec: StateEvaluationSpec) -> tuple[SpawnProcess, Connection]:
        printed = self._output.pipe("the evaluation") if self._output is not None else None
        return start_piped(main, spec, "evaluation", printed)

    def _heard(self) -> StateEvaluated | None:
        running = self._running
        assert running is not None
        alive = running.process.is_alive()  # before the look: what it sent before it ended is there
        while isinstance(said := _received(running.pipe), EvaluationProgress) or _is_notice(said):
            if isinstance(said, EvaluationProgress):
                with self._lock:
                    self._running = replace(running, progress=said)
            elif said is not None:
                self._publish(said)
        if said is None and alive:
            return None
        with self._lock:
            self._running = None
        running.release()
        if said is None:
            how = exit_words(running.process.exitcode)
            said = not_evaluated(running.timesteps, f"the process ended: {how}")
        self._publish(said)
        return said if isinstance(said, StateEvaluated) else None


def _is_notice(said: Said | None) -> bool:
    """It has only begun, or goes on without some games."""
    return isinstance(said, LogLine) and said.level == "info"


def _received(pipe: Connection) -> Said | None:
    with contextlib.suppress(EOFError, OSError, msgspec.DecodeError):
        if pipe.poll(0):
            return decode(pipe.recv_bytes())
    return None
