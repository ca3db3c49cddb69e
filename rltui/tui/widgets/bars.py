"""Bars and sparklines."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.run_state.history import History
from rltui.tui.text import Line
from rltui.tui.widgets.plot import Bin, DecimationCache


def progress_bar(share: float | None, width: int, role: str = "series-1") -> Line:
    """A thin line filled from the left; all track where the share is unknown. The two parts differ in shape too."""
    filled = 0.0 if share is None else min(max(share, 0.0), 1.0) * width
    whole = int(filled)
    half = whole < width and filled - whole >= 0.5
    rest = width - whole - half
    return (("━" * whole + ("╸" if half else ""), role), ("─" * rest, "track"))


def filled_bar(share: float, width: int, role: str) -> Line:
    """A heavy line with halves of a column, blank behind; anything above nothing shows. share: 0–1 of the width."""
    halves = round(min(max(share, 0.0), 1.0) * width * 2)
    whole, half = divmod(max(halves, 1) if share > 0 else halves, 2)
    text = "━" * whole + "╸" * half
    return ((text, role), (" " * (width - len(text)), ""))


def signed_bar(value: float, low: float, high: float, width: int) -> Line:
    """A bar from zero to `value` on the scale [low, high], low ≤ 0 ≤ high; negative ones go to the left."""
    span = (high - low) or 1.0
    left = min(max(round(width * -low / span), 1), width - 1) if low < 0 else 0
    right = width - left
    if value >= 0:
        return ((" " * left, ""), *filled_bar(value / high if high else 0.0, right, "positive"))
    halves = max(round(2 * left * value / low), 1)
    text = "╺" * (halves % 2) + "━" * (halves // 2)
    return ((" " * (left - len(text)), ""), (text, "negative"), (" " * right, ""))


_LEVELS = "▁▂▃▄▅▆▇█"


def sparkline_of(history: History, key: str, width: int, memory: DecimationCache) -> str:
    """Exactly `width` columns, of one metric over all iterations. memory: of earlier drawings, so that only what has come since
    is read.
    """
    column = history.columns.get(key)
    if column is None or not history.length or width < 1:
        return " " * max(width, 0)
    span = (history.timesteps[0], history.timesteps[history.length - 1])
    return _row(memory.bins(history.timesteps, column, history.length, span, width), width)


def _row(bins: Sequence[Bin], width: int) -> str:
    if not bins:
        return " " * width
    low, high = min(item.mean for item in bins), max(item.mean for item in bins)
    cells = [" "] * width
    for item in bins:
        share = (item.mean - low) / (high - low) if high > low else 0.5
        cells[item.column] = _LEVELS[min(int(share * len(_LEVELS)), len(_LEVELS) - 1)]
    return "".join(cells)
