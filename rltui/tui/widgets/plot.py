"""One curve as rows of characters: Braille dots, half blocks or `*`. Pure functions on numbers; no Textual.

Where many points share a dot column, the curve goes through their means and a band behind it shows their extremes.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rltui.tui.symbols import ChartStyle

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


@dataclass(frozen=True, slots=True)
class Bin:
    """What one dot column stands for. broken: an unknown value lies between the bin before and this one."""

    column: int
    low: float
    mean: float
    high: float
    broken: bool


def decimate(xs: Sequence[float], ys: Sequence[float], span: tuple[float, float], columns: int) -> list[Bin]:
    """The known values of each of `columns` equal slices of the x span as (min, mean, max).

    xs: ascending. ys: same length, NaN where unknown. No extreme is lost, whatever the number of points.
    """
    start, end = span
    step = (end - start) / columns if end > start else 1.0
    bins: list[Bin] = []
    broken = False
    index = bisect_left(xs, start)
    for column in range(columns):
        is_last = column == columns - 1
        stop = len(xs) if is_last and end >= xs[-1] else bisect_left(xs, start + (column + 1) * step, index)
        if stop == index:
            continue
        values, total = _known(list(ys[index:stop]))  # a list: an array would make each number anew in each pass
        index = stop
        if not values:
            broken = True
            continue
        bins.append(Bin(column, min(values), total / len(values), max(values), broken and bool(bins)))
        broken = False
    return bins


def _known(values: list[float]) -> tuple[list[float], float]:
    """Those that are numbers, and their sum."""
    total = sum(values)
    if math.isfinite(total):
        return values, total
    values = [value for value in values if math.isfinite(value)]
    return values, sum(values)


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


class Canvas:
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
    canvas = Canvas(size, style, _DASH[style] if kind == "dashed" else (1, 1))
    before: Bin | None = None
    for item in bins:
        if before is not None and not item.broken:
            _join(canvas, before, item, bounds)
        canvas.dot(_row(item.mean, canvas.rows, bounds), item.column)
        before = item
    return canvas.lines(_OF_KIND[kind])


def band(bins: Sequence[Bin], bounds: tuple[float, float], size: tuple[int, int], style: ChartStyle) -> list[str]:
    """From the lowest to the highest value of each dot column, as `curve`; all blank where no column holds two points."""
    canvas = Canvas(size, style)
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


def _join(canvas: Canvas, before: Bin, item: Bin, bounds: tuple[float, float]) -> None:
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
