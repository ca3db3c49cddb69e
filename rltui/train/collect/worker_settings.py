"""Debug flags and reward weights sent to workers, acknowledged; `--debug` runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rltui.events.commands import FLAGS, DebugFlag, FlagLive
from rltui.events.records import Record
from rltui.formatting import state_name
from rltui.train.collect.collector import Collector
from rltui.train.collect.debug_output import LineLimit, tell_lines
from rltui.train.collect.messages import Configure

# Orders: what the workers are told beside Collect, and who waits to hear that it is in force.
#
# Each worker is always told all that holds for it, flags and reward weights, so that one that takes another's place, or
# belongs to the next lesson, is told in the same way.

PATIENCE = 10.0  # seconds that a worker may take to answer; it looks between any two steps
LINES_PER_SECOND = 20.0  # debug lines of each worker


@dataclass
class Wait:
    """Somebody waits until these workers obey the order of this number."""

    applied: Callable[[str], None]
    refused: Callable[[str], None]
    detail: str = ""  # what has changed, in words, before who obeys
    number: int = 0
    workers: tuple[int, ...] = ()
    since: float = field(default=0.0)


class WorkerSettings:
    """Of all workers of the collector in force."""

    def __init__(
        self,
        collector: Collector,
        lines_per_second: float = LINES_PER_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """lines_per_second: debug lines of each worker; 0: no limit."""
        self._collector, self._rate, self._clock = collector, lines_per_second, clock
        self._flags: dict[str, frozenset[int] | None] = {}  # those that are on; None: for all workers
        self._weights: dict[str, float] = {}
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

    def take_over(self, collector: Collector, weights: Mapping[str, float]) -> None:
        """Another collector, about to start: what holds for all holds for its workers too."""
        self._collector, self._weights = collector, dict(weights)
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
        """worker None: for all of them. restart_episodes: they begin new episodes everywhere with their next rollout."""
        told = self.workers if worker is None else (worker,)
        for flag in flags:
            self._set(flag, on, told)
        self._send(told, restart_episodes)
        self._await(wait, told)

    def set_weights(self, weights: Mapping[str, float], waits: Iterable[Wait] = ()) -> None:
        """All reward weights that are set by hand; they hold from the workers' next rollout on."""
        self._weights = dict(weights)
        self._send(self.workers)
        for wait in waits:
            self._await(wait, self.workers)

    def attend(self) -> None:
        """Hear the workers, and tell those whose orders are in force. Costs nothing while there is nothing to hear."""
        if self._waiting or self._flags:
            self._collector.listen()
        for wait in list(self._waiting):
            missing = [worker for worker in wait.workers if self._collector.obeyed(worker) < wait.number]
            if not missing:
                self._waiting.remove(wait)
                wait.applied(wait.detail + _by(wait.workers, len(self.workers)))
            elif self._clock() - wait.since > PATIENCE:
                self._waiting.remove(wait)
                wait.refused(_without(missing, wait.workers))

    def refuse(self, reason: str) -> None:
        """Nobody will obey any more."""
        waiting, self._waiting = self._waiting, []
        for wait in waiting:
            wait.refused(reason)

    def _set(self, flag: str, on: bool, told: Iterable[int]) -> None:
        everybody, before = frozenset(self.workers), self._flags.pop(flag, frozenset())
        now = (everybody if before is None else before) & everybody
        now = now | set(told) if on else now - set(told)
        if now:
            self._flags[flag] = None if now == everybody else now

    def _send(self, workers: Iterable[int], restart_episodes: bool = False) -> None:
        self._number += 1
        for worker in workers:
            self._collector.configure(worker, self._order(worker, restart_episodes))

    def _order(self, worker: int, restart_episodes: bool) -> Configure:
        on = [flag for flag, who in self._flags.items() if who is None or worker in who]
        flags = tuple(flag for flag in FLAGS if flag in on)
        return Configure(self._number, flags, self._weights, self._rate, restart_episodes)

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
        f"{len(workers) - len(missing)} of {len(workers)} workers have it; worker {names} has not answered for "
        f"{PATIENCE:g} s, and gets it when it does, or the one in its place"
    )


LEARNING, CHECKPOINTS = "debug_learning", "debug_checkpoints"


class TrainerDebug:
    """Says nothing while its flags are off."""

    def __init__(self, orders: WorkerSettings, tell: Callable[[Record], None], lines_per_second: float) -> None:
        self._orders, self._tell, self._limit = orders, tell, LineLimit(lines_per_second)

    def learned(self, metrics: Mapping[str, float]) -> None:
        """debug_learning: every figure of the update. To be called after each."""
        self._limit.only(flag for flag in (LEARNING, CHECKPOINTS) if self._orders.is_on(flag))
        if self._orders.is_on(LEARNING):
            self.say(LEARNING, (f"{key} = {value:.6g}" for key, value in metrics.items()))

    def due(self, timesteps: int, due: Iterable[tuple[str, str]]) -> None:
        """debug_checkpoints: what is to be saved after an iteration."""
        if self._orders.is_on(CHECKPOINTS):
            what = ", ".join(state_name(kind, label) for kind, label in due) or "nothing"
            self.say(CHECKPOINTS, [f"due at {timesteps:,} timesteps: {what}"])

    def say(self, flag: str, lines: Iterable[str]) -> None:
        """As far as the limit lets it."""
        tell_lines(self._tell, None, self._limit.taken([(flag, line) for line in lines]))


TURTLED: DebugFlag = "debug_turtled_start"
OTHERS = tuple(flag for flag in FLAGS if flag != TURTLED)


class DebugRun:
    """Sets the flags that anybody may set while a run goes on. Every change begins with new episodes everywhere."""

    def __init__(self, orders: WorkerSettings, say: Callable[[str, Iterable[str]], None]) -> None:
        """say(flag, lines): what the trainer itself has to tell."""
        self._orders, self._say = orders, say
        self._iterations = 0

    def before(self) -> None:
        """An iteration begins."""
        self._iterations += 1
        if self._iterations == 1:
            self._orders.set_flags(OTHERS, on=True, restart_episodes=True)
        elif self._iterations == 2:
            self._say(TURTLED, ["iteration 2: every episode begins turtled, whatever the profile says"])
            self._orders.set_flags([TURTLED], on=True, restart_episodes=True)
        elif self._iterations == 3:
            self._say(TURTLED, ["over: episodes begin as the profile says"])
            self._orders.set_flags([TURTLED], on=False, restart_episodes=True)
