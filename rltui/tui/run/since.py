"""How much a figure has changed: over the last hour, or over the newest iterations where a run is younger. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events.episode_reward import FIRST_EPISODES, PART, REWARD, mostly_short
from rltui.events.records import CLOCK
from rltui.tui.run.history import History
from rltui.tui.run.settling import settled

HOUR = 3600.0  # seconds
ROWS = 100  # iterations, where there is no hour yet
SMOOTH = 10  # iterations that each end is averaged over
CLEAR = 0.05  # of the larger end: a smaller change is noise


@dataclass(frozen=True, slots=True)
class Change:
    """before, now: means of SMOOTH iterations. span: `1 h` or `100 it.`, what lies between them."""

    before: float
    now: float
    span: str

    @property
    def value(self) -> float:
        """By how much."""
        return self.now - self.before

    @property
    def way(self) -> int:
        """1 up, -1 down, 0 where nobody should make anything of it."""
        if abs(self.value) <= CLEAR * max(abs(self.now), abs(self.before)):
            return 0
        return 1 if self.value > 0 else -1


def change_since(history: History, key: str) -> Change | None:
    """The newest SMOOTH iterations against as many before the span; None where either mean is unknown.

    Rewards of a time in which mostly short episodes had ended are unknown, and as long as it lasts nothing has changed.
    """
    end, span = _start_of_span(history)
    if end < SMOOTH or key not in history.columns or (_is_reward(key) and _settles(history)):
        return None
    now = _mean(_rows(history, key, history.length - SMOOTH, history.length))
    before = _mean(_rows(history, key, end - SMOOTH, end))
    return None if now is None or before is None else Change(before, now, span)


def span_words(history: History) -> str:
    """What changes look back over now: `1 h`, `100 it.`"""
    return _start_of_span(history)[1]


def _start_of_span(history: History) -> tuple[int, str]:
    """(first row of it, its words)."""
    length, clock = history.length, history.columns.get(CLOCK)
    if clock is not None and length > ROWS:
        row = bisect_right(clock, clock[length - 1] - HOUR, 0, length)
        if SMOOTH <= row <= length - ROWS:
            return row, "1 h"
    return length - ROWS, f"{ROWS} it."


def _is_reward(key: str) -> bool:
    return key == REWARD or key.startswith(PART)


def _settles(history: History) -> bool:
    """Whether the newest iteration's rewards are those of short episodes."""
    first = history.columns.get(FIRST_EPISODES)
    return first is not None and mostly_short(first[history.length - 1])


def _rows(history: History, key: str, start: int, stop: int) -> Sequence[float]:
    return settled(history, key, start, stop) if _is_reward(key) else history.columns[key][start:stop]


def _mean(values: Sequence[float]) -> float | None:
    """Of those known, if that is half of them."""
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if len(known) * 2 >= SMOOTH else None
