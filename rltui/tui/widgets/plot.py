"""Curves as rows of characters (Braille dots, half blocks or `*`), and the cache of their decimated columns.

Where many points share a dot column, the curve goes through their means and a band behind it shows their extremes.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from rltui.tui.ascii import ChartStyle

# The bit of each dot, by row then column of the cell, and the characters by code.
_BITS: dict[ChartStyle, tuple[tuple[int, ...], ...]] = {
    "braille": ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80)),
    "blocks": ((1,), (2,)),
    "ascii": ((1,),),
}
_CHARACTERS: dict[ChartStyle, str] = {
    "braille": " " + "".join(chr(0x2800 + code) for code in range(1, 256)),
    "blocks": " ▀▄█",
    "ascii": " *",
}
_BAND_CHARACTERS: dict[ChartStyle, str] = {"braille": _CHARACTERS["braille"], "blocks": " ░░░", "ascii": " ."}
_OTHER_CHARACTERS: dict[ChartStyle, str] = {**_CHARACTERS, "ascii": " o"}

LineKind = Literal["solid", "dashed", "faint"]  # a run's own curve, another run's, what lies behind a smoothed one
_DASH: dict[ChartStyle, tuple[int, int]] = {"braille": (6, 3), "blocks": (4, 2), "ascii": (1, 1)}  # period, drawn of it
_OF_KIND = {"solid": _CHARACTERS, "dashed": _OTHER_CHARACTERS, "faint": _BAND_CHARACTERS}

BLOCK = 32  # rows
MOST_COLUMNS = 128  # remembered
_Figures = tuple[float, float, float, int]  # lowest, highest, sum and number of the known ones


@dataclass(frozen=True, slots=True)
class Bin:
    """What one dot column stands for. broken: an unknown value lies between the bin before and this one."""

    column: int
    low: float
    mean: float
    high: float
    broken: bool


def _decimate(
    xs: Sequence[float], length: int, span: tuple[float, float], columns: int, figures: Callable[[int, int], _Figures]
) -> list[Bin]:
    """The known values of each of `columns` equal slices of the x span as (min, mean, max).

    xs: ascending, of which the first `length` count. figures: of the values of rows [start, stop).
    """
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


def _figures(values: list[float]) -> _Figures:
    """(lowest, highest, sum, number) of those that are numbers."""
    total = sum(values)
    if not math.isfinite(total):
        values = [value for value in values if math.isfinite(value)]
        total = sum(values)
    if not values:
        return math.inf, -math.inf, 0.0, 0
    return min(values), max(values), total, len(values)


def nice_range(low: float, high: float) -> tuple[float, float]:
    """Bounds with few digits that hold [low, high]: zero is taken in when near, a flat curve lies in the middle."""
    if low == high:
        margin = abs(low) * 0.1 or 1.0
        low, high = low - margin, high + margin
    if 0 < low < high / 3:
        low = 0.0
    elif low / 3 < high < 0:
        high = 0.0
    step = _nice_step((high - low) / 4)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def _nice_step(size: float) -> float:
    power = 10.0 ** math.floor(math.log10(size))
    return power * next(factor for factor in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if factor * power >= size * 0.999)


class DotCanvas:
    """Dots in cells. rows, columns: of dots; (0, 0) is the upper left one."""

    def __init__(self, size: tuple[int, int], style: ChartStyle, dash: tuple[int, int] = (1, 1)) -> None:
        """size: (columns, rows) of cells. dash: of each so many dot columns only the first so many take dots."""
        self._style, self._dash = style, dash
        self._bits = _BITS[style]
        self._across, self._down = len(self._bits[0]), len(self._bits)
        self.columns, self.rows = size[0] * self._across, size[1] * self._down
        self._codes = [[0] * size[0] for _ in range(size[1])]

    def dot(self, row: int, column: int) -> None:
        if column % self._dash[0] >= self._dash[1]:
            return
        bit = self._bits[row % self._down][column % self._across]
        self._codes[row // self._down][column // self._across] |= bit

    def lines(self, characters: dict[ChartStyle, str] = _CHARACTERS) -> list[str]:
        """The rows of cells; a blank cell is a space."""
        chosen = characters[self._style]
        return ["".join([chosen[code] for code in codes]) for codes in self._codes]


def curve(
    bins: Sequence[Bin], bounds: tuple[float, float], size: tuple[int, int], style: ChartStyle, kind: LineKind = "solid"
) -> list[str]:
    """The means as rows of `size` = (columns, rows) cells. Neighbours are joined, gaps stay open."""
    canvas = DotCanvas(size, style, _DASH[style] if kind == "dashed" else (1, 1))
    before: Bin | None = None
    for item in bins:
        if before is not None and not item.broken:
            _join(canvas, before, item, bounds)
        canvas.dot(_row(item.mean, canvas.rows, bounds), item.column)
        before = item
    return canvas.lines(_OF_KIND[kind])


def band(bins: Sequence[Bin], bounds: tuple[float, float], size: tuple[int, int], style: ChartStyle) -> list[str]:
    """From the lowest to the highest value of each dot column, as `curve`; all blank where no column holds two points."""
    canvas = DotCanvas(size, style)
    for item in bins:
        if item.low < item.high:
            for row in range(_row(item.high, canvas.rows, bounds), _row(item.low, canvas.rows, bounds) + 1):
                canvas.dot(row, item.column)
    return canvas.lines(_BAND_CHARACTERS)


def dot_columns(width: int, style: ChartStyle) -> int:
    """How many dot columns `width` cells have: the number of bins to decimate to."""
    return width * len(_BITS[style][0])


def _row(value: float, rows: int, bounds: tuple[float, float]) -> int:
    low, high = bounds
    share = (value - low) / (high - low)
    return min(max(round((1 - share) * (rows - 1)), 0), rows - 1)


def _join(canvas: DotCanvas, before: Bin, item: Bin, bounds: tuple[float, float]) -> None:
    """A straight line from one mean to the next; a steep piece is split between its two columns."""
    steps = item.column - before.column
    start, end = _row(before.mean, canvas.rows, bounds), _row(item.mean, canvas.rows, bounds)
    here = start
    for step in range(steps):
        there = round(start + (end - start) * (step + 1) / steps)
        middle = (here + there) // 2
        left, right = before.column + step, before.column + step + 1
        for row in range(min(here, there), max(here, there) + 1):
            near_left = row <= middle if here <= there else row > middle
            canvas.dot(row, left if near_left and row != there else right)
        if here == there:
            canvas.dot(here, left)
        here = there


@dataclass(slots=True)
class Blocks:
    """Lowest, highest, sum and number of the known values of each whole block of a column."""

    low: array[float] = field(default_factory=lambda: array("d"))
    high: array[float] = field(default_factory=lambda: array("d"))
    total: array[float] = field(default_factory=lambda: array("d"))
    count: array[int] = field(default_factory=lambda: array("B"))

    def grow(self, column: Sequence[float], length: int) -> None:
        """Take in the blocks that have become whole within the first `length` rows."""
        for end in range((len(self.count) + 1) * BLOCK, length + 1, BLOCK):
            low, high, total, count = _figures(list(column[end - BLOCK : end]))
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
class _CacheEntry:
    column: Sequence[float]  # kept, so that its id stays its own
    blocks: Blocks = field(default_factory=Blocks)
    smooth: dict[int, array[float]] = field(default_factory=dict)  # by span, of the newest alone
    bins: dict[object, tuple[int, list[Bin]]] = field(default_factory=dict)


class DecimationCache:
    """Cache of bins, block figures and moving averages of the columns drawn so far. Not for two threads.

    A history's columns only grow, so what was worked out for their older rows stays right.
    """

    def __init__(self) -> None:
        self._entries: dict[int, _CacheEntry] = {}

    def bins(
        self, xs: Sequence[float], ys: Sequence[float], length: int, span: tuple[float, float], columns: int
    ) -> list[Bin]:
        """The known values of the first `length` rows as (min, mean, max) of each of `columns` equal slices of the x span.

        xs: ascending. ys: as long, NaN where unknown. No extreme is lost, whatever the number of points.
        """
        entry = self._entry(ys)
        key = (id(xs), span, columns)
        known = entry.bins.get(key)
        if known is not None and known[0] == length:
            return known[1]
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
            known = array("f")
            entry.smooth = {span: known}
        if len(known) < length:
            _smooth(ys, length, span, known)
        return known

    def forget(self) -> None:
        """Let go of all columns."""
        self._entries.clear()

    def _entry(self, column: Sequence[float]) -> _CacheEntry:
        """The column's; the one that has not been asked for the longest makes room."""
        entry = self._entries.pop(id(column), None) or _CacheEntry(column)
        self._entries[id(column)] = entry
        if len(self._entries) > MOST_COLUMNS:
            del self._entries[next(iter(self._entries))]
        return entry


def _smooth(ys: Sequence[float], length: int, span: int, out: array[float]) -> None:
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
