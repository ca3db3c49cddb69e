"""How much a figure has changed: over the last hour, or over the newest iterations where a run is younger. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events.episode_reward import PART, REWARD
from rltui.events.records import CLOCK
from rltui.tui.run.history import History
from rltui.tui.run.settling import settled

HOUR = 3600.0  # seconds
ROWS = 100  # iterations, where there is no hour yet
SMOOTH = 10  # iterations that each end is averaged over


@dataclass(frozen=True, slots=True)
class Change:
    """span: `1 h` or `100 it.`, what it looks back over."""

    value: float
    span: str


def change_since(history: History, key: str) -> Change | None:
    """The mean of the newest SMOOTH iterations against that of as many before the span; None where either is unknown.

    Rewards of a time in which mostly short episodes had ended are unknown.
    """
    end, span = _start_of_span(history)
    if end < SMOOTH or key not in history.columns:
        return None
    now = _mean(_rows(history, key, history.length - SMOOTH, history.length))
    before = _mean(_rows(history, key, end - SMOOTH, end))
    return None if now is None or before is None else Change(now - before, span)


def _start_of_span(history: History) -> tuple[int, str]:
    """(first row of it, its words)."""
    length, clock = history.length, history.columns.get(CLOCK)
    if clock is not None and length > ROWS:
        row = bisect_right(clock, clock[length - 1] - HOUR, 0, length)
        if SMOOTH <= row <= length - ROWS:
            return row, "1 h"
    return length - ROWS, f"{ROWS} it."


def _rows(history: History, key: str, start: int, stop: int) -> Sequence[float]:
    is_reward = key == REWARD or key.startswith(PART)
    return settled(history, key, start, stop) if is_reward else history.columns[key][start:stop]


def _mean(values: Sequence[float]) -> float | None:
    """Of those known, if that is half of them."""
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if len(known) * 2 >= SMOOTH else None
