"""A curve in one row: eight heights, blank where unknown."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.tui.run.history import History
from rltui.tui.widgets.columns import Columns
from rltui.tui.widgets.plot import Bin, decimate

_LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(xs: Sequence[float], ys: Sequence[float], width: int) -> str:
    """Exactly `width` columns; the whole span of xs."""
    if not len(xs) or width < 1:
        return " " * max(width, 0)
    return _row(decimate(xs, ys, (xs[0], xs[-1]), width), width)


def sparkline_of(history: History, key: str, width: int, memory: Columns) -> str:
    """Of one metric of all iterations. memory: of earlier drawings, so that only what has come since is read."""
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
