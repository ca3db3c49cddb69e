"""One metric as a small chart: name and newest value, the curve over timesteps with its range, marks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui.tui import figures
from rltui.tui.paint import Line, Span, crop_text, ends, fit, text_line
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.plot import Bin, curve, decimate, dot_columns, nice_range

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
    known = [value for value in reversed(data.ys[-200:]) if value == value]
    lines = [_title(data, known, width)]
    rows = height - 1 - x_labels
    columns = width - AXIS
    if rows < 1 or columns < 4:
        return lines[:height]
    bins = decimate(data.xs, data.ys, (data.xs[0], data.xs[-1]), dot_columns(columns, style)) if len(data.xs) else []
    lines += _plot(data, bins, (columns, rows), style) if bins else _empty(columns, rows)
    if x_labels:
        lines.append(_x_axis(data, columns, bool(bins)))
    return [fit(line, width) for line in lines[:height]]


def _title(data: ChartData, newest_first: Sequence[float], width: int) -> Line:
    value = figures.number(newest_first[0]) if newest_first else figures.UNKNOWN
    right: Line = ((f" {value}", "strong"), (f" {data.unit}" if data.unit and newest_first else "", "muted"))
    return ends(((crop_text(data.label, width - len(value) - 2), "muted"),), right, width)


def _plot(data: ChartData, bins: Sequence[Bin], size: tuple[int, int], style: ChartStyle) -> list[Line]:
    bounds = nice_range(min(item.low for item in bins), max(item.high for item in bins))
    rows = curve(bins, bounds, size, style)
    marks = {_column(mark, data.xs, size[0]) for mark in data.marks if data.xs[0] < mark < data.xs[-1]}
    lines: list[Line] = []
    for index, row in enumerate(rows):
        tick = bounds[1] if index == 0 else bounds[0] if index == len(rows) - 1 and index else None
        label = figures.axis(tick) if tick is not None else ""
        axis: Span = (f"{label:>{AXIS - 1}}{'┤' if tick is not None else '│'}", "faint")
        lines.append((axis, *_with_marks(row, marks, data.role)))
    return lines


def _column(x: float, xs: Sequence[float], width: int) -> int:
    return min(int((x - xs[0]) / (xs[-1] - xs[0]) * width), width - 1)


def _with_marks(row: str, marks: set[int], role: str) -> list[Span]:
    """The row's spans; a mark shows only where the curve leaves the cell free."""
    spans: list[Span] = []
    start = 0
    for column in sorted(column for column in marks if row[column] == " "):
        spans += [(row[start:column], role), ("┊", "mark")]
        start = column + 1
    return [span for span in (*spans, (row[start:], role)) if span[0]]


def _empty(columns: int, rows: int) -> list[Line]:
    note = crop_text("no figure yet", columns)
    return [
        ((f"{'':>{AXIS - 1}}│", "faint"), (note.center(columns) if row == rows // 2 else "", "faint"))
        for row in range(rows)
    ]


def _x_axis(data: ChartData, columns: int, known: bool) -> Line:
    if not known:
        return text_line(f"{'':>{AXIS - 1}}└" + "─" * columns, "faint")
    left, right = figures.short(data.xs[0]), figures.short(data.xs[-1])
    gap = columns - len(left) - len(right) - 2
    if gap < 1 or len(data.xs) == 1:
        return text_line(f"{'':>{AXIS - 1}}└" + right.rjust(columns, "─"), "faint")
    return ((f"{'':>{AXIS - 1}}└", "faint"), (f"{left} {'─' * gap} {right}", "faint"))
