"""A curve in one row: eight heights, blank where unknown."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.tui.widgets.plot import decimate

_LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(xs: Sequence[float], ys: Sequence[float], width: int) -> str:
    """Exactly `width` columns; the whole span of xs."""
    if not len(xs) or width < 1:
        return " " * max(width, 0)
    bins = decimate(xs, ys, (xs[0], xs[-1]), width)
    if not bins:
        return " " * width
    low, high = min(item.mean for item in bins), max(item.mean for item in bins)
    cells = [" "] * width
    for item in bins:
        share = (item.mean - low) / (high - low) if high > low else 0.5
        cells[item.column] = _LEVELS[min(int(share * len(_LEVELS)), len(_LEVELS) - 1)]
    return "".join(cells)
