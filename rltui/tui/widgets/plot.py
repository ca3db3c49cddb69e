"""One curve as rows of characters: Braille dots, half blocks or `*`. Pure functions on numbers; no Textual.

Where many points share a dot column, the curve goes through their means and a band behind it shows their extremes.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.tui.symbols import ChartStyle

_DOTS: dict[ChartStyle, tuple[int, int]] = {
    "braille": (2, 4),
    "blocks": (1, 2),
    "ascii": (1, 1),
}  # a cell's columns, rows
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BLOCKS = " ▀▄█"
_BAND_CELLS = {"blocks": str.maketrans("▀▄█", "░░░"), "ascii": str.maketrans("*", ":"), "braille": {}}


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
        values = _known(ys[index:stop])
        index = stop
        if not values:
            broken = True
            continue
        bins.append(Bin(column, min(values), sum(values) / len(values), max(values), broken and bool(bins)))
        broken = False
    return bins


def _known(values: Sequence[float]) -> Sequence[float]:
    return values if math.isfinite(sum(values)) else [value for value in values if math.isfinite(value)]


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


def curve(bins: Sequence[Bin], bounds: tuple[float, float], size: tuple[int, int], style: ChartStyle) -> list[str]:
    """The means as rows of `size` = (columns, rows) cells; a blank cell is a space. Neighbours are joined, gaps stay open."""
    dots = _no_dots(size, style)
    before: Bin | None = None
    for item in bins:
        if before is not None and not item.broken:
            _join(dots, before, item, bounds)
        dots[_row(item.mean, len(dots), bounds)][item.column] = 1
        before = item
    return _rows_of_cells(dots, size, style)


def band(bins: Sequence[Bin], bounds: tuple[float, float], size: tuple[int, int], style: ChartStyle) -> list[str]:
    """From the lowest to the highest value of each dot column, as `curve`; all blank where no column holds two points."""
    dots = _no_dots(size, style)
    for item in bins:
        if item.low < item.high:
            for row in range(_row(item.high, len(dots), bounds), _row(item.low, len(dots), bounds) + 1):
                dots[row][item.column] = 1
    rows = _rows_of_cells(dots, size, style)
    return [row.translate(_BAND_CELLS[style]) for row in rows] if style != "braille" else rows


def _no_dots(size: tuple[int, int], style: ChartStyle) -> list[list[int]]:
    across, down = _DOTS[style]
    return [[0] * (size[0] * across) for _ in range(size[1] * down)]


def _rows_of_cells(dots: list[list[int]], size: tuple[int, int], style: ChartStyle) -> list[str]:
    down = _DOTS[style][1]
    return [_cells(dots[row * down : (row + 1) * down], size[0], style) for row in range(size[1])]


def dot_columns(width: int, style: ChartStyle) -> int:
    """How many dot columns `width` cells have: the number of bins to decimate to."""
    return width * _DOTS[style][0]


def _row(value: float, rows: int, bounds: tuple[float, float]) -> int:
    low, high = bounds
    share = (value - low) / (high - low)
    return min(max(round((1 - share) * (rows - 1)), 0), rows - 1)


def _join(dots: list[list[int]], before: Bin, item: Bin, bounds: tuple[float, float]) -> None:
    """A straight line from one mean to the next; a steep piece is split between its two columns."""
    steps = item.column - before.column
    start, end = _row(before.mean, len(dots), bounds), _row(item.mean, len(dots), bounds)
    here = start
    for step in range(steps):
        there = round(start + (end - start) * (step + 1) / steps)
        middle = (here + there) // 2
        left, right = before.column + step, before.column + step + 1
        for row in range(min(here, there), max(here, there) + 1):
            near_left = row <= middle if here <= there else row > middle
            dots[row][left if near_left and row != there else right] = 1
        if here == there:
            dots[here][left] = 1
        here = there


def _cells(rows: list[list[int]], width: int, style: ChartStyle) -> str:
    if style == "ascii":
        return "".join("*" if dot else " " for dot in rows[0])
    if style == "blocks":
        return "".join(_BLOCKS[rows[0][x] + 2 * rows[1][x]] for x in range(width))
    return "".join(_braille(rows, 2 * x) for x in range(width))


def _braille(rows: list[list[int]], x: int) -> str:
    code = sum(
        bit for row, bits in zip(rows, _BRAILLE, strict=True) for dx, bit in enumerate(bits) if rows and row[x + dx]
    )
    return chr(0x2800 + code) if code else " "
