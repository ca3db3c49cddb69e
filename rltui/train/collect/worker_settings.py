"""Debug flags and reward weights that the workers run with: sent to them, and answered once every worker has applied them.

Each worker is always sent all its settings, whole, so that one that takes another's place, or belongs to the next task, is
configured in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rltui.env.frozen_opponents import OpponentSource
from rltui.events.commands import FLAGS, DebugFlag, FlagLive
from rltui.events.records import Record
from rltui.formatting import state_name
from rltui.train.collect.collector import Collector
from rltui.train.collect.debug_output import LineLimit, publish_lines
from rltui.train.collect.messages import Configure

PATIENCE = 10.0  # seconds that a worker may take to answer; it looks between any two steps
LINES_PER_SECOND = 20.0  # debug lines of each worker
LEARNING, CHECKPOINTS = "debug_learning", "debug_checkpoints"
TURTLED: DebugFlag = "debug_turtled_start"  # the one flag that changes what is learned from
OTHERS = tuple(flag for flag in FLAGS if flag != TURTLED)


@dataclass
class Wait:
    """Somebody waits until these workers have applied the settings of this number."""

    applied: Callable[[str], None]
    refused: Callable[[str], None]
    detail: str = ""  # what has changed, in words, before which workers have applied it
    number: int = 0
    workers: tuple[int, ...] = ()
    since: float = field(default=0.0)


class WorkerSettings:
    """Settings of all workers of the collector in force."""

    def __init__(
        self,
        collector: Collector,
        lines_per_second: float = LINES_PER_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """lines_per_second: debug lines of each worker; 0: no limit."""
        self.lines_per_second = lines_per_second
        self._collector, self._clock = collector, clock
        self._flags: dict[str, frozenset[int] | None] = {}  # those that are on; None: for all workers
        self._weights: dict[str, float] = {}
        self._opponents: dict[int, tuple[OpponentSource, ...]] = {}
        self._number = 0
        self._waiting: list[Wait] = []

    @property
    def workers(self) -> range:
        """Their numbers."""
        return range(self._collector.shared.shape.workers)

    def is_on(self, flag: str) -> bool:
        """Whether a flag is on for anybody."""
        return flag in self._flags

    def flags(self) -> list[FlagLive]:
        """Those that are on."""
        return [
            FlagLive(flag, None if (who := self._flags[flag]) is None else sorted(who))
            for flag in FLAGS
            if flag in self._flags
        ]

    def use_collector(self, collector: Collector, weights: Mapping[str, float]) -> None:
        """Another collector, about to start: its workers get the same flags, these weights, and no opponents yet."""
        self._collector, self._weights, self._opponents = collector, dict(weights), {}
        if self._flags or self._weights or self._number:
            self._send(self.workers)

    def set_flags(
        self,
        flags: Iterable[str],
        on: bool,
        worker: int | None = None,
        wait: Wait | None = None,
        restart_episodes: bool = False,
    ) -> None:
        """worker None: for all of them. restart_episodes: their next rollout begins with new episodes everywhere."""
        workers = self.workers if worker is None else (worker,)
        for flag in flags:
            self._set(flag, on, workers)
        self._send(workers, restart_episodes)
        self._await(wait, workers)

    def set_weights(self, weights: Mapping[str, float], waits: Iterable[Wait] = ()) -> None:
        """All reward weights that are set by hand; they hold from the workers' next rollout on."""
        self._weights = dict(weights)
        self._send(self.workers)
        for wait in waits:
            self._await(wait, self.workers)

    def set_opponents(self, opponents: Mapping[int, tuple[OpponentSource, ...]]) -> None:
        """Frozen opponents of each worker; they play from the next episodes on."""
        given = {worker: sources for worker, sources in opponents.items() if sources}
        if given != self._opponents:
            self._opponents = given
            self._send(self.workers)

    def poll(self) -> None:
        """Receive the workers' messages and answer whoever waits for them. Costs nothing while nothing can have come."""
        if self._waiting or self._flags:
            self._collector.receive()
        for wait in list(self._waiting):
            missing = [worker for worker in wait.workers if self._collector.applied(worker) < wait.number]
            if not missing:
                self._waiting.remove(wait)
                wait.applied(wait.detail + _by(wait.workers, len(self.workers)))
            elif self._clock() - wait.since > PATIENCE:
                self._waiting.remove(wait)
                wait.refused(_without(missing, wait.workers))

    def refuse(self, reason: str) -> None:
        """Nothing that somebody waits for will be applied any more."""
        waiting, self._waiting = self._waiting, []
        for wait in waiting:
            wait.refused(reason)

    def _set(self, flag: str, on: bool, workers: Iterable[int]) -> None:
        everybody, before = frozenset(self.workers), self._flags.pop(flag, frozenset())
        now = (everybody if before is None else before) & everybody
        now = now | set(workers) if on else now - set(workers)
        if now:
            self._flags[flag] = None if now == everybody else now

    def _send(self, workers: Iterable[int], restart_episodes: bool = False) -> None:
        self._number += 1
        for worker in workers:
            self._collector.configure(worker, self._of(worker, restart_episodes))

    def _of(self, worker: int, restart_episodes: bool) -> Configure:
        on = [flag for flag, who in self._flags.items() if who is None or worker in who]
        flags = tuple(flag for flag in FLAGS if flag in on)
        opponents = self._opponents.get(worker, ())
        return Configure(self._number, flags, self._weights, self.lines_per_second, restart_episodes, opponents)

    def _await(self, wait: Wait | None, workers: Iterable[int]) -> None:
        if wait is not None:
            wait.number, wait.workers, wait.since = self._number, tuple(workers), self._clock()
            self._waiting.append(wait)


def _by(workers: tuple[int, ...], everybody: int) -> str:
    if len(workers) < everybody:
        return f"by worker {', '.join(map(str, workers))}"
    return f"by {len(workers)} of {everybody} worker{'s' if everybody > 1 else ''}"


def _without(missing: list[int], workers: tuple[int, ...]) -> str:
    names = ", ".join(map(str, missing))
    return (
        f"{len(workers) - len(missing)} of {len(workers)} workers have it; worker {names}, silent for "
        f"{PATIENCE:g} s, gets it when it answers or is replaced"
    )


class TrainerDebug:
    """Debug lines of the trainer itself; none while its flags are off."""

    def __init__(self, settings: WorkerSettings, publish: Callable[[Record], None]) -> None:
        self._settings, self._publish, self._limit = settings, publish, LineLimit(settings.lines_per_second)

    def learned(self, metrics: Mapping[str, float]) -> None:
        """debug_learning: every figure of the update. To be called after each."""
        self._limit.keep([flag for flag in (LEARNING, CHECKPOINTS) if self._settings.is_on(flag)])
        if self._settings.is_on(LEARNING):
            self.say(LEARNING, (f"{key} = {value:.6g}" for key, value in metrics.items()))

    def due(self, timesteps: int, due: Iterable[tuple[str, str]]) -> None:
        """debug_checkpoints: what is to be saved after an iteration."""
        if self._settings.is_on(CHECKPOINTS):
            what = ", ".join(state_name(kind, label) for kind, label in due) or "nothing"
            self.say(CHECKPOINTS, [f"due at {timesteps:,} timesteps: {what}"])

    def say(self, flag: str, lines: Iterable[str]) -> None:
        """As far as the limit lets it."""
        publish_lines(self._publish, None, self._limit.passed([(flag, line) for line in lines]))


class DebugRun:
    """The flags of a `--debug` run, iteration by iteration. Every change begins with new episodes everywhere."""

    def __init__(self, settings: WorkerSettings, debug: TrainerDebug) -> None:
        self._settings, self._debug = settings, debug
        self._iterations = 0

    def before_collecting(self) -> None:
        """An iteration begins."""
        self._iterations += 1
        if self._iterations == 1:
            self._settings.set_flags(OTHERS, on=True, restart_episodes=True)
        elif self._iterations == 2:
            self._debug.say(TURTLED, ["iteration 2: every episode begins turtled"])
            self._settings.set_flags([TURTLED], on=True, restart_episodes=True)
        elif self._iterations == 3:
            self._debug.say(TURTLED, ["over: episodes begin by the profile again"])
            self._settings.set_flags([TURTLED], on=False, restart_episodes=True)
