"""TurtleTracker: cars on their roofs, and whether they recover."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from rltui.field import TICKS_PER_SECOND
from rltui.sim.state import UPSIDE_DOWN, Bool, GameState, Int, turtled

WINDOW_TICKS = 3 * TICKS_PER_SECOND  # in which a recovery counts
UPRIGHT = np.array(0.6, np.float32)  # z of the car's up vector

Contact = Callable[[int, int], tuple[int, tuple[float, float, float]]]  # ArenaBatch.contact
Car = tuple[int, int]  # arena, which of the cars


@dataclass(frozen=True)
class TurtleStats:
    """Counts. An event is counted when it begins, its outcome when it is known."""

    events: int = 0
    failed: int = 0  # not upright within the window
    censored: int = 0  # cut by the end of the episode or a demolition
    recovery_ticks: list[int] = field(default_factory=list)  # of each recovery

    @property
    def recovered(self) -> int:
        return len(self.recovery_ticks)


def total_turtles(parts: Iterable[TurtleStats]) -> TurtleStats:
    """All of them together."""
    parts = list(parts)
    return TurtleStats(
        events=sum(part.events for part in parts),
        failed=sum(part.failed for part in parts),
        censored=sum(part.censored for part in parts),
        recovery_ticks=[ticks for part in parts for ticks in part.recovery_ticks],
    )


class TurtleTracker:
    """Follows these cars of K arenas, each by itself.

    A car turtles when at most one wheel is down, up.z < −0.2 and its body touches a surface of normal z > 0.7 at a step's
    last tick. It has recovered with three or more wheels down and up.z > 0.6, and has failed when that took longer than the
    window; then nothing is counted until it has been upright again.
    """

    def __init__(self, state: GameState, cars: slice, tick_skip: int, contact: Contact) -> None:
        """state: the one that every step is read into."""
        self._contact, self._tick_skip = contact, tick_skip
        self._up = state.up[:, cars, 2]
        self._on_ground, self._touching = state.on_ground[:, cars], state.world_contact[:, cars]
        self._respawn_timer = state.demo_respawn_timer[:, cars]
        self._busy: Bool = np.zeros(self._up.shape, np.bool_)  # turtled and not upright since
        self._found: Bool = np.zeros(self._up.shape, np.bool_)
        self._found_flat, self._cars = self._found.reshape(-1), self._up.shape[1]
        self._first = range(state.up.shape[1])[cars].start
        self._step = 0
        self._open: dict[Car, int] = {}  # step in which each event began whose outcome is unknown
        self._due: deque[tuple[int, Car]] = deque()  # every event, oldest first, with that step; closed ones too
        self._clear()

    def step(self, demolished: int) -> None:
        """Count one step. demolished: how many of these cars are demolished now."""
        self._step += 1
        found, busy = self._found, self._busy
        if np.count_nonzero(busy):
            self._follow(found, demolished)
        np.greater(self._touching, busy, out=found)
        if np.count_nonzero(found):
            np.logical_and(found, self._up < UPSIDE_DOWN, out=found)
            self._begin()

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended: what is open there will never be known."""
        self._busy[arenas] = False
        ended = set(arenas.tolist())
        for car in [car for car in self._open if car[0] in ended]:
            self._cut(car)

    def drain(self) -> TurtleStats:
        """Everything since the last drain. Open events stay open."""
        stats = TurtleStats(self._events, self._failed, self._censored, self._recoveries)
        self._clear()
        return stats

    def _begin(self) -> None:
        """Whether those found lie on a floor is asked of each, for they are few."""
        for at in self._cars_found():
            wheels, normal = self._contact(at[0], self._first + at[1])
            if turtled(wheels, self._up[at], normal[2]):
                self._busy[at] = True
                self._open[at] = self._step
                self._due.append((self._step, at))
                self._events += 1

    def _follow(self, found: Bool, demolished: int) -> None:
        """Those that are demolished or upright now, then those whose time is over."""
        if demolished:  # first, for a wreck is on the ground or not as it was hit
            np.logical_and(self._busy, self._respawn_timer, out=found)
            self._release(self._cut)
        np.logical_and(self._busy, self._on_ground, out=found)
        if np.count_nonzero(found):
            np.logical_and(found, self._up > UPRIGHT, out=found)
            self._release(self._righted)
        while self._due and self._ticks_since(self._due[0][0]) >= WINDOW_TICKS:
            began, at = self._due.popleft()
            if self._open.get(at) == began:
                del self._open[at]
                self._failed += 1

    def _release(self, close: Callable[[Car], None]) -> None:
        """Those found are turtles no more."""
        for at in self._cars_found():
            self._busy[at] = False
            close(at)

    def _cars_found(self) -> list[Car]:
        """np.argwhere costs five times as much."""
        return [divmod(index, self._cars) for index in self._found_flat.nonzero()[0].tolist()]

    def _righted(self, car: Car) -> None:
        began = self._open.pop(car, None)
        if began is None:
            return
        ticks = self._ticks_since(began)
        if ticks <= WINDOW_TICKS:
            self._recoveries.append(ticks)
        else:
            self._failed += 1

    def _cut(self, car: Car) -> None:
        if self._open.pop(car, None) is not None:
            self._censored += 1

    def _ticks_since(self, step: int) -> int:
        return (self._step - step) * self._tick_skip

    def _clear(self) -> None:
        self._events = self._failed = self._censored = 0
        self._recoveries: list[int] = []
