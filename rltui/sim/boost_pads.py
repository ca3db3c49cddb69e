"""Seconds until each boost pad is available, counted as the simulator counts them; boost arithmetic.

Asking it costs 34 calls an arena; with each pickup noted, a table of its own countdown gives the same float32 numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rltui import field
from rltui.field import BIG_PAD_SECONDS, BIG_PADS, PADS, SMALL_PAD_SECONDS, TICKS_PER_SECOND
from rltui.sim.state import Float, Int

LONG_AGO = -(2**40)
PAD_BOOST = tuple(field.BIG_PAD_BOOST if pad in field.BIG_PADS else field.SMALL_PAD_BOOST for pad in range(field.PADS))
TICK = 1.0 / field.TICKS_PER_SECOND
USE = field.BOOST_USE * TICK
LEAST_TIME = field.LEAST_BOOST_SECONDS - TICK / 2  # between two ticks, for the simulator's float32 sums are not exact


class PadTimers:
    """K × 34 pads. A pickup is remembered by the tick (of its arena) after which the pad shows its full cooldown."""

    def __init__(self, arenas: int) -> None:
        self._countdowns = small, big = countdown(SMALL_PAD_SECONDS), countdown(BIG_PAD_SECONDS)
        self._table = np.concatenate(self._countdowns)
        is_big = np.isin(np.arange(PADS), BIG_PADS)
        self._first = np.where(is_big, len(small), 0)  # of the pad's countdown in the table
        self._last = np.where(is_big, len(small) + len(big), len(small)) - 1  # where it stays 0
        self._start: Int = np.full((arenas, PADS), LONG_AGO, np.int64)  # tick at `_first`: pickup's tick − first
        self._index: Int = np.empty((arenas, PADS), np.int64)

    def picked(self, arena: int, pad: int, tick: int) -> None:
        """A car took the pad during the tick that ended the arena's first `tick` ticks."""
        self._start[arena, pad] = tick - self._first[pad]

    def reset(self, arena: int, timers: Float | None) -> Float | None:
        """A new episode begins with these timers [34] (None: all available). Returns them rounded to ticks."""
        if timers is None:
            self._start[arena] = LONG_AGO
            return None
        nearest = [
            int(np.abs(self._countdowns[first > 0] - timer).argmin())
            for first, timer in zip(self._first.tolist(), timers.tolist(), strict=True)
        ]
        index = self._first + nearest
        self._start[arena] = -index
        rounded: Float = self._table[index]
        return rounded

    def write(self, ticks: Int, out: Float) -> None:
        """Timers [K, 34] when `ticks` [K] of each arena's episode have passed."""
        np.subtract(ticks[:, None], self._start, out=self._index)
        np.minimum(self._index, self._last, out=self._index)
        self._table.take(self._index, out=out, mode="clip")  # in range already; clip spares the check


def countdown(seconds: float) -> Float:
    """The simulator's float32 countdown, tick by tick from `seconds` down to 0."""
    tick = np.float32(1.0) / np.float32(TICKS_PER_SECOND)
    left = [np.float32(seconds)]
    while left[-1] > 0:
        left.append(max(left[-1] - tick, np.float32(0.0)))
    numbers: NDArray[np.float32] = np.array(left, np.float32)
    return numbers


def after_ticks(boost: float, boosting_time: float, held: Iterable[bool]) -> tuple[float, float]:
    """(boost, seconds that it has been boosting) after ticks with the button held or not.

    boosting_time: 0 when it does not. A press lasts a tenth of a second at least.
    """
    for pressed in held:
        if boost <= 0 or (boosting_time >= LEAST_TIME and not pressed):
            boosting_time = 0.0
        elif boosting_time > 0 or pressed:
            boosting_time += TICK
        if boosting_time > 0:
            boost = max(boost - USE, 0.0)
    return boost, boosting_time
