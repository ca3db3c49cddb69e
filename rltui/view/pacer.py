"""Pacer: game time kept to real time."""

from __future__ import annotations

import time
from collections.abc import Callable

from rltui.sim.field import TICKS_PER_SECOND

MOST_LAG = 0.25  # seconds behind that are caught up with; after a longer stop the game goes on from where it is


class Pacer:
    """Waits until a tick is due. speed: game seconds a second."""

    def __init__(
        self,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._ticks_per_second = TICKS_PER_SECOND * speed
        self._clock, self._sleep = clock, sleep
        self._anchor: tuple[int, float] | None = None  # a tick, and when it was due

    def wait_for(self, tick: int) -> None:
        """The first tick is due at once."""
        now = self._clock()
        if self._anchor is None:
            self._anchor = tick, now
        due = self._anchor[1] + (tick - self._anchor[0]) / self._ticks_per_second
        if due > now:
            self._sleep(due - now)
        elif now - due > MOST_LAG:
            self._anchor = tick, now

    def rest(self, seconds: float) -> None:
        """Wait without playing; what comes next is due at once."""
        self._sleep(seconds)
        self._anchor = None
