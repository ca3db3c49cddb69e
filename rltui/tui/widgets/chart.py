"""One metric as a small chart: name and newest value, the curve over timesteps with its range, marks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui.tui import figures
from rltui.tui.paint import Line, Span, crop_text, ends, fit, text_line, width_of
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.plot import Bin, band, curve, decimate, dot_columns, nice_range

AXIS = 6  # columns of the labels and the axis


@dataclass(frozen=True, slots=True)
class ChartData:
    """xs: ascending timesteps; ys: NaN where unknown; marks: timesteps of events."""

    label: str
    unit: str
    role: str
    xs: Sequence[float]
    ys: Sequence[float]
    marks: Sequence[float] = ()


def chart(data: ChartData, width: int, height: int, style: ChartStyle, x_labels: bool = True) -> list[Line]:
    """Exactly `height` lines of `width` columns."""
    lines = [_title(data, width)]
    rows = height - 1 - x_labels
    columns = width - AXIS
    if rows < 1 or columns < 4:
        return lines[:height]
    bins = decimate(data.xs, data.ys, _span(data.xs), dot_columns(columns, style)) if len(data.xs) else []
    lines += _plot(data, bins, (columns, rows), style) if bins else _empty(columns, rows)
    if x_labels:
        lines.append(_x_axis(data, columns, bool(bins)))
    return [fit(line, width) for line in lines[:height]]


def _span(xs: Sequence[float]) -> tuple[float, float]:
    """From zero where the first point is near it."""
    return (0.0, xs[-1]) if xs[0] < 0.1 * xs[-1] else (xs[0], xs[-1])


def _title(data: ChartData, width: int) -> Line:
    """The newest value; where the newest iteration does not know it, the last known one and how old it is."""
    back = next((index for index, value in enumerate(reversed(data.ys[-200:])) if value == value), None)
    value = figures.UNKNOWN if back is None else figures.number(data.ys[-1 - back])
    unit = f" {data.unit}" if data.unit and back is not None else ""
    old = f" {back} it. ago" if back else ""
    right: Line = ((f" {value}", "muted" if back else "strong"), (unit, "muted"), (old, "warn"))
    return ends(((crop_text(data.label, max(width - width_of(right) - 1, 3)), "muted"),), right, width)


def _plot(data: ChartData, bins: Sequence[Bin], size: tuple[int, int], style: ChartStyle) -> list[Line]:
    bounds = nice_range(min(item.low for item in bins), max(item.high for item in bins))
    marks = _mark_columns(data, size[0])
    lines: list[Line] = []
    layers = zip(curve(bins, bounds, size, style), band(bins, bounds, size, style), strict=True)
    for index, (line, behind) in enumerate(layers):
        tick = bounds[1] if index == 0 else bounds[0] if index == size[1] - 1 else None
        label = figures.axis(tick) if tick is not None else ""
        axis: Span = (f"{label:>{AXIS - 1}}{'┤' if tick is not None else '│'}", "faint")
        lines.append((axis, *_merged(line, behind, marks, data.role)))
    return lines


def _mark_columns(data: ChartData, width: int) -> set[int]:
    start, end = _span(data.xs)
    return {min(int((mark - start) / (end - start) * width), width - 1) for mark in data.marks if start < mark < end}


def _merged(line: str, behind: str, marks: set[int], role: str) -> list[Span]:
    """Cell by cell: the curve, else the band behind it, else a mark; neighbours of one role become one span."""
    spans: list[Span] = []
    for column, (front, back) in enumerate(zip(line, behind, strict=True)):
        cell: Span = (front, role) if front != " " else (back, "band")
        if cell[0] == " " and column in marks:
            cell = ("┊", "mark")
        if spans and (spans[-1][1] == cell[1] or cell[0] == " "):
            spans[-1] = (spans[-1][0] + cell[0], spans[-1][1])
        else:
            spans.append(cell)
    return spans


def _empty(columns: int, rows: int) -> list[Line]:
    note = crop_text("no figure yet", columns)
    return [
        ((f"{'':>{AXIS - 1}}│", "faint"), (note.center(columns) if row == rows // 2 else "", "faint"))
        for row in range(rows)
    ]


def _x_axis(data: ChartData, columns: int, known: bool) -> Line:
    corner = f"{'':>{AXIS - 1}}└"
    if not known:
        return text_line(corner + "─" * columns, "faint")
    left, right = (figures.short(x) for x in _span(data.xs))
    gap = columns - len(left) - len(right) - 2
    if gap < 1 or len(data.xs) == 1:
        return text_line(corner + f" {right}".rjust(columns, "─"), "faint")
    return text_line(f"{corner}{left} {'─' * gap} {right}", "faint")
