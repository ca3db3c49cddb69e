"""Long columns drawn again and again: extremes and sums of blocks, moving averages and bins, kept from one drawing to the next.

A history's columns are arrays that only grow (history.py), so what was worked out for their older rows stays right.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from rltui.tui.run.column import Column
from rltui.tui.run.spill import Spill
from rltui.tui.widgets.plot import Bin

BLOCK = 32  # rows
STRIDE = 128 * BLOCK  # rows read at once
FEW = 4 * BLOCK  # rows of a bin that are sooner looked through than put together from blocks
MOST = 128  # columns remembered
_Figures = tuple[float, float, float, int]  # lowest, highest, sum and number of the known ones


@dataclass(slots=True)
class Blocks:
    """Lowest, highest, sum and number of the known values of each whole block of a column."""

    low: array[float] = field(default_factory=lambda: array("d"))
    high: array[float] = field(default_factory=lambda: array("d"))
    total: array[float] = field(default_factory=lambda: array("d"))
    count: array[int] = field(default_factory=lambda: array("B"))

    def grow(self, column: Sequence[float], length: int) -> None:
        """Take in the blocks that have become whole within the first `length` rows."""
        whole = length - length % BLOCK
        for first in range(len(self.count) * BLOCK, whole, STRIDE):
            rows = list(column[first : min(first + STRIDE, whole)])
            for start in range(0, len(rows), BLOCK):
                low, high, total, count = _figures(rows[start : start + BLOCK])
                self.low.append(low)
                self.high.append(high)
                self.total.append(total)
                self.count.append(count)

    def of(self, column: Sequence[float], start: int, stop: int) -> _Figures:
        """Of the values of rows [start, stop)."""
        first, last = -(-start // BLOCK), min(stop // BLOCK, len(self.count))
        if first >= last:
            return _figures(list(column[start:stop]))
        low, high, total, count = _figures([*column[start : first * BLOCK], *column[last * BLOCK : stop]])
        return (
            min(low, *self.low[first:last]),
            max(high, *self.high[first:last]),
            total + sum(self.total[first:last]),
            count + sum(self.count[first:last]),
        )


@dataclass(slots=True)
class _Entry:
    column: Sequence[float]  # kept, so that its id stays its own
    blocks: Blocks = field(default_factory=Blocks)
    smooth: dict[int, Column] = field(default_factory=dict)
    bins: dict[object, tuple[int, list[Bin]]] = field(default_factory=dict)


class Columns:
    """What is known of the columns drawn so far. Not for two threads."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._spill = Spill()

    def bins(
        self, xs: Sequence[float], ys: Sequence[float], length: int, span: tuple[float, float], columns: int
    ) -> list[Bin]:
        """plot.decimate of the first `length` rows, and as exact."""
        entry = self._entry(ys)
        key = (id(xs), span, columns)
        known = entry.bins.get(key)
        if known is not None and known[0] == length:
            return known[1]
        first, last = bisect_left(xs, span[0], 0, length), _after(xs, span[1], 0, length)
        if last - first <= columns * FEW:
            rows = list(ys[first:last])
            found = _decimate(
                xs, length, span, columns, lambda start, stop: _figures(rows[start - first : stop - first])
            )
        else:
            entry.blocks.grow(ys, length)
            found = _decimate(xs, length, span, columns, partial(entry.blocks.of, ys))
        if len(entry.bins) >= 8:
            entry.bins.clear()
        entry.bins[key] = (length, found)
        return found

    def smoothed(self, ys: Sequence[float], length: int, span: int) -> Sequence[float]:
        """The exponential moving average, weight 2 / (span + 1) on each new value; NaN where the value is unknown.

        The first values are averaged as if there were none before them (Adam's bias correction).
        """
        entry = self._entry(ys)
        known = entry.smooth.get(span)
        if known is None:
            known = entry.smooth[span] = Column(self._spill)
        if len(known) < length:
            _smooth(ys, length, span, known)
        return known

    def forget(self) -> None:
        """Let go of all columns."""
        self._entries.clear()

    def _entry(self, column: Sequence[float]) -> _Entry:
        """The column's; the one that has not been asked for the longest makes room."""
        entry = self._entries.pop(id(column), None) or _Entry(column)
        self._entries[id(column)] = entry
        if len(self._entries) > MOST:
            del self._entries[next(iter(self._entries))]
        return entry


def _decimate(
    xs: Sequence[float], length: int, span: tuple[float, float], columns: int, figures: Callable[[int, int], _Figures]
) -> list[Bin]:
    """figures: of the values of rows [start, stop)."""
    start, end = span
    step = (end - start) / columns if end > start else 1.0
    bins: list[Bin] = []
    broken = False
    index = bisect_left(xs, start, 0, length)
    for column in range(columns):
        edge = start + (column + 1) * step
        stop = bisect_left(xs, edge, index, length)
        if column == columns - 1:  # the last slice holds its end
            stop = max(stop, _after(xs, end, index, length))
        if stop == index:
            continue
        low, high, total, count = figures(index, stop)
        index = stop
        if not count:
            broken = True
            continue
        bins.append(Bin(column, low, total / count, high, broken and bool(bins)))
        broken = False
    return bins


def _after(xs: Sequence[float], end: float, index: int, length: int) -> int:
    stop = bisect_left(xs, end, index, length)
    while stop < length and xs[stop] == end:
        stop += 1
    return stop


def _smooth(ys: Sequence[float], length: int, span: int, out: Column) -> None:
    """Append the average of the rows that `out` lacks. The two running sums are worked out anew from the last 12 spans."""
    keep = 1 - 2 / (span + 1)
    begin = max(len(out) - 12 * span, 0)  # what lies further back weighs less than 1e-10
    total = weight = 0.0
    for index, value in enumerate(ys[begin:length], begin):
        if value - value == 0.0:  # a number
            total = total * keep + value
            weight = weight * keep + 1.0
            smooth = total / weight
        else:
            smooth = math.nan
        if index >= len(out):
            out.append(smooth)


def _figures(values: list[float]) -> _Figures:
    """(lowest, highest, sum, number) of those that are numbers."""
    total = sum(values)
    if not math.isfinite(total):
        values = [value for value in values if math.isfinite(value)]
        total = sum(values)
    if not values:
        return math.inf, -math.inf, 0.0, 0
    return min(values), max(values), total, len(values)
