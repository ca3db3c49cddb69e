"""Turtle recovery added up over iterations: counts, success with its interval, times. Pure.

An iteration's counts are exact sums, so they add up; medians do not, and stay those of the newest iteration that knows one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events import metric_keys
from rltui.tui.run.history import History

Z = 1.959964  # of the standard normal: 95 %
REFERENCES = (("jump press", 81), ("throttle + roll", 92), ("throttle", 106), ("idle", None))  # ticks, SPEC's probe
TICKS = 120  # a second
KEY = metric_keys.TURTLE_EVENTS


@dataclass(frozen=True, slots=True)
class Turtles:
    """Of one lane over some iterations. Unknown is None."""

    events: int
    recovered: int
    failed: int
    censored: int  # cut by the episode's end or a demolition: neither success nor failure
    per_minute: float | None
    mean_ticks: float | None

    @property
    def rate(self) -> float | None:
        """0–1, of those whose end is known."""
        known = self.recovered + self.failed
        return self.recovered / known if known else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 %, Wilson's; None where nothing is known."""
        return wilson(self.recovered, self.recovered + self.failed)


def wilson(successes: int, trials: int, z: float = Z) -> tuple[float, float] | None:
    """Wilson's score interval: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n); None without trials."""
    if trials <= 0:
        return None
    share, square = successes / trials, z * z / trials
    half = z * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    middle = share + square / 2
    return max((middle - half) / (1 + square), 0.0), min((middle + half) / (1 + square), 1.0)


def lanes(history: History) -> list[str]:
    """Prefixes of the lanes that count turtles, "" the match's, in the journal's order."""
    return [key.removesuffix(KEY) for key in history.columns if key == KEY or key.endswith(f"/{KEY}")]


def any_turtled(history: History) -> bool:
    """Whether a car has ever turtled, in any lane."""
    return any(_sum(history, f"{lane}{KEY}", 0, history.length) for lane in lanes(history))


def over(history: History, lane: str = "", rows: int | None = None) -> Turtles:
    """The newest `rows` iterations together; None: all of them."""
    start = 0 if rows is None else max(history.length - rows, 0)
    counts = {name: _sum(history, f"{lane}turtle/{name}", start, history.length) for name in _COUNTS}
    return Turtles(
        **{name: int(count) for name, count in counts.items()},
        per_minute=_mean(history, f"{lane}{metric_keys.TURTLES_PER_MINUTE}", start),
        mean_ticks=_weighted(history, lane, start),
    )


_COUNTS = ("events", "recovered", "failed", "censored")


def newest(history: History, key: str) -> tuple[float | None, int]:
    """The newest known value and how many iterations old it is; (None, 0) where there is none."""
    column = history.columns.get(key)
    for back in range(history.length if column is not None else 0):
        value = column[history.length - 1 - back] if column is not None else math.nan
        if value == value:
            return value, back
    return None, 0


def curves(history: History, lane: str = "", points: int = 400) -> tuple[list[float], list[float], list[float]]:
    """(timesteps, success in %, events per minute) of up to `points` groups of neighbouring iterations; NaN where unknown."""
    size = max(-(-history.length // points), 1)
    xs, rates, often = [], [], []
    for start in range(0, history.length, size):
        end = min(start + size, history.length)
        won, lost = (_sum(history, f"{lane}turtle/{name}", start, end) for name in ("recovered", "failed"))
        xs.append(history.timesteps[end - 1])
        rates.append(100 * won / (won + lost) if won + lost else math.nan)
        mean = _mean(history, f"{lane}{metric_keys.TURTLES_PER_MINUTE}", start, end)
        often.append(math.nan if mean is None else mean)
    return xs, rates, often


def _known(history: History, key: str, start: int, end: int | None = None) -> Sequence[float]:
    column = history.columns.get(key)
    if column is None:
        return ()
    part = column[start : history.length if end is None else end]
    return (
        part if sum(part) == sum(part) else [value for value in part if value == value]
    )  # a NaN in the sum is one in it


def _sum(history: History, key: str, start: int, end: int) -> float:
    return sum(_known(history, key, start, end))


def _mean(history: History, key: str, start: int, end: int | None = None) -> float | None:
    values = _known(history, key, start, end)
    return sum(values) / len(values) if values else None


def _weighted(history: History, lane: str, start: int) -> float | None:
    """Mean ticks of all recoveries: each iteration's mean counts by how many it holds."""
    means, counts = (history.columns.get(f"{lane}turtle/{name}") for name in ("mean_ticks", "recovered"))
    if means is None or counts is None:
        return None
    pairs = zip(means[start : history.length], counts[start : history.length], strict=True)
    known = [(mean, count) for mean, count in pairs if mean == mean and count == count and count > 0]
    total = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / total if total else None
