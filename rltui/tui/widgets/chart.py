"""Line chart: title with the figure, axes, own curve and another run's, band of extremes, marks, cursor."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rltui import formatting
from rltui.tui.ascii import ChartStyle
from rltui.tui.text import Line, Span, crop_text, ends, fit, text_line, width_of
from rltui.tui.widgets.plot import Bin, DecimationCache, band, curve, dot_columns, nice_range

Layer = tuple[str, str]  # a row of characters, its role; a blank lets the next layer through
CURSOR_ROLE = "cursor"
AXIS = 6  # columns of the labels and the axis
OLDEST = 200  # rows that are looked through for the newest known figure
OTHER_ROLE = ""  # of a compared run: the plain foreground, which no curve of one's own has
END = "╎"  # of the shorter one of two runs
MARK = "┊"  # of an event
POINT = "●"  # a measured value
LEGEND: dict[ChartStyle, tuple[str, str]] = {"braille": ("━", "╍"), "blocks": ("━", "╍"), "ascii": ("*", "o")}


def merged(
    layers: Sequence[Layer], columns: Mapping[int, Span], rest: Span = (" ", ""), cursor: int | None = None
) -> list[Span]:
    """One row of cells as spans: the first layer that is not blank, else the column's own sign, else `rest`.

    columns: signs of marks and the cursor by column. cursor: the column that is lit whatever stands in it.
    """
    spans: list[Span] = []
    for column, cells in enumerate(zip(*(text for text, _ in layers), strict=True)):
        front = next((index for index, cell in enumerate(cells) if cell != " "), None)
        cell = columns.get(column, rest) if front is None else (cells[front], layers[front][1])
        if column == cursor:
            cell = (cell[0], f"{cell[1]} {CURSOR_ROLE}".strip())
        joins = spans and (spans[-1][1] == cell[1] or (cell[0] == " " and column != cursor and not _lit(spans[-1])))
        if joins:
            spans[-1] = (spans[-1][0] + cell[0], spans[-1][1])
        else:
            spans.append(cell)
    return spans


def _lit(span: Span) -> bool:
    return CURSOR_ROLE in span[1].split()


@dataclass(frozen=True, slots=True)
class Scale:
    """low, high: of the axis, in drawn units: decimal logarithms where `log`."""

    low: float
    high: float
    log: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def drawn(self, value: float) -> float | None:
        """The value in drawn units; None where it has no place on the axis."""
        if not self.log:
            return value
        return math.log10(value) if value > 0 else None

    def label(self, drawn: float) -> str:
        """What stands beside the axis at this place."""
        return formatting.axis(10.0**drawn if self.log else drawn)

    def ticks(self, most: int) -> list[float]:
        """At most so many places strictly within the bounds: whole decades of a logarithmic axis, else equal parts."""
        if self.log:
            decades = range(math.floor(self.low) + 1, math.ceil(self.high))
            inside = [float(decade) for decade in decades if self.low < decade < self.high]
            return inside[:: max(-(-len(inside) // max(most, 1)), 1)]
        parts = 4 if most >= 3 else 2 if most >= 1 else 1
        return [self.low + (self.high - self.low) * part / parts for part in range(1, parts)]


def scale_of(curves: Iterable[Sequence[Bin]], log: bool = False) -> Scale | None:
    """One that holds all bins; of a logarithmic one those above zero. None where nothing is left to hold."""
    bins = [item for curve in curves for item in curve if not log or item.mean > 0]
    if not bins:
        return None
    if not log:
        return Scale(*nice_range(min(item.low for item in bins), max(item.high for item in bins)))
    return Scale(*_log_range(min(_above_zero(item) for item in bins), max(item.high for item in bins)), log=True)


def in_units(bins: Sequence[Bin], scale: Scale) -> list[Bin]:
    """The bins in drawn units; on a logarithmic axis those whose mean is not above zero leave a gap."""
    if not scale.log:
        return list(bins)
    found: list[Bin] = []
    broken = False
    for item in bins:
        if item.mean <= 0:
            broken = True
            continue
        low, mean, high = (math.log10(value) for value in (_above_zero(item), item.mean, item.high))
        found.append(Bin(item.column, low, mean, high, (broken or item.broken) and bool(found)))
        broken = False
    return found


def has_gaps(bins: Iterable[Bin]) -> bool:
    """Whether a logarithmic axis has no place for some of the values."""
    return any(item.low <= 0 for item in bins)


def _above_zero(item: Bin) -> float:
    """The lowest value with a place on a logarithmic axis: of a bin that reaches to zero or below only its mean is sure."""
    return item.low if item.low > 0 else item.mean


def _log_range(low: float, high: float) -> tuple[float, float]:
    """Logarithms of bounds with few digits."""
    if low == high:
        low, high = low / 1.5, high * 1.5
    return _log_bound(low, up=False), _log_bound(high, up=True)


def _log_bound(value: float, *, up: bool) -> float:
    power = math.floor(math.log10(value))
    steps = [math.log10(factor) + power for factor in (1, 1.5, 2, 3, 5, 7, 10)]
    place = math.log10(value)
    if up:
        return next((step for step in steps if step >= place - 1e-9), steps[-1])
    return next((step for step in reversed(steps) if step <= place + 1e-9), steps[0])


@dataclass(frozen=True, slots=True)
class Curve:
    """xs: ascending timesteps; ys: NaN where unknown; length: rows that count, None for all."""

    xs: Sequence[float]
    ys: Sequence[float]
    length: int | None = None

    @property
    def rows(self) -> int:
        return len(self.xs) if self.length is None else self.length

    def at(self, x: float) -> float | None:
        """The value in force at `x`: of the newest row not above it. None before the first row and after the last."""
        row = bisect_right(self.xs, x, 0, self.rows) - 1
        return self.ys[row] if row >= 0 and x <= self.xs[self.rows - 1] else None

    def newest(self, x: float | None = None) -> tuple[float | None, int]:
        """The newest known value, of rows not above `x` where that is given, and how many such rows have come since."""
        last = self.rows - 1 if x is None else bisect_right(self.xs, x, 0, self.rows) - 1
        for back in range(min(last + 1, OLDEST)):
            if self.ys[last - back] == self.ys[last - back]:
                return self.ys[last - back], back
        return None, 0


@dataclass(frozen=True, slots=True)
class ChartData:
    """marks: timesteps of events. length: rows that count. other: of a compared run. usual: the healthy range's ends.

    change: `+1.6 in 300 it.`, where it is known. figures: those of one's own and of the other run, in the place of the newest.
    finest: figures smaller than this are shown as 0.00. errors: half the length of each value's error bar; few values, each
    with a dot. figure: the newest one in words.
    """

    label: str
    unit: str
    role: str
    xs: Sequence[float]
    ys: Sequence[float]
    marks: Sequence[float] = ()
    length: int | None = None
    other: Curve | None = None
    usual: tuple[float | None, float | None] = (None, None)
    change: str = ""
    figures: tuple[float | None, float | None] | None = None
    finest: float = 0.0
    errors: Sequence[float] = ()
    figure: str = ""

    @property
    def own(self) -> Curve:
        return Curve(self.xs, self.ys, self.length)


@dataclass(frozen=True, slots=True)
class Look:
    """How charts are looked at. span: timesteps shown, None for all. smoothing: rows of the moving average, 0 for none.

    cursor: timesteps at which values are read. memory: what was worked out for earlier drawings.
    """

    span: tuple[float, float] | None = None
    log: bool = False
    smoothing: int = 0
    cursor: float | None = None
    guides: bool = False
    selected: bool = False
    memory: DecimationCache = field(default_factory=DecimationCache, compare=False)


def chart(data: ChartData, width: int, height: int, style: ChartStyle, look: Look | None = None) -> list[Line]:
    """Exactly `height` lines of `width` columns."""
    look = look or Look()
    lines = [_title(data, width, style, look)]
    rows = height - 2
    columns = width - AXIS
    if rows < 1 or columns < 4:
        return lines[:height]
    span = look.span or (whole_span(data.own) if data.own.rows else (0.0, 1.0))
    lines += _plot(data, span, (columns, rows), style, look)
    lines.append(_x_axis(data, columns, span))
    return [fit(line, width) for line in lines[:height]]


def whole_span(*curves: Curve) -> tuple[float, float]:
    """All timesteps of the curves, one row at least in each; from zero where the first is near it."""
    first, last = min(item.xs[0] for item in curves), max(item.xs[item.rows - 1] for item in curves)
    return (0.0, last) if first < 0.1 * last else (first, last)


def end_of_shorter(data: ChartData) -> float | None:
    """Timesteps at which the run that did not come so far ends; None where there is one run, or both end there."""
    if data.other is None or not data.other.rows or not data.own.rows:
        return None
    ends = {curve.xs[curve.rows - 1] for curve in (data.own, data.other)}
    return min(ends) if len(ends) > 1 else None


def plot_column(x: float, span: tuple[float, float], width: int) -> int | None:
    """The cell of timesteps `x` in a plot `width` cells wide; None outside the span."""
    start, end = span
    if not start <= x <= end or start == end:
        return None
    return min(int((x - start) / (end - start) * width), width - 1)


def _title(data: ChartData, width: int, style: ChartStyle, look: Look) -> Line:
    """The value at the cursor; else its figures, or the newest, and how old it is where the newest iteration has none.

    Beside another run both are read where the one that did not come so far ends.
    """
    if look.cursor is not None:
        value, back = data.own.at(look.cursor), 0
    elif data.figures is not None:
        value, back = data.figures[0], 0
    else:
        value, back = data.own.newest(end_of_shorter(data))
    is_known = formatting.known(value)
    words = data.figure or formatting.number(value, data.finest)
    right: list[Span] = [(f" {words}", "strong" if is_known and not back else "muted")]
    right += [(f" {data.unit}", "muted")] if data.unit and is_known else []
    right += [(f" {back} it. ago", "warn")] if back else []
    if data.other is not None and data.other.rows:
        there = _beside(data, data.other, look)
        right = right[: 1 if len(data.label) + width_of(tuple(right)) + 12 > width else None]
        right += [(f"  {LEGEND[style][1]} ", OTHER_ROLE), (formatting.number(there, data.finest), "muted")]
    sign = "▸" if look.selected else ""
    used = len(sign + data.label) + width_of(tuple(right))
    if data.change and look.cursor is None and used + len(data.change) + 4 <= width:
        right.insert(0, (f"  {data.change} ", "faint"))
    label = crop_text(sign + data.label, max(width - width_of(tuple(right)) - 1, 3))
    return ends(((label, "strong" if look.selected else "muted"),), tuple(right), width)


def _beside(data: ChartData, other: Curve, look: Look) -> float | None:
    """The other run's value at the cursor, or its figure, or where the shorter one ends."""
    if look.cursor is not None:
        return other.at(look.cursor)
    if data.figures is not None:
        return data.figures[1]
    return other.newest(end_of_shorter(data))[0]


def _plot(
    data: ChartData, span: tuple[float, float], size: tuple[int, int], style: ChartStyle, look: Look
) -> list[Line]:
    dots = dot_columns(size[0], style)
    raw = _with_errors(data, span, dots) if data.errors else _bins(data.own, span, dots, look, 0)
    other = _bins(data.other, span, dots, look, look.smoothing) if data.other is not None else []
    scale = scale_of((raw, other), look.log)
    if scale is None:
        why = (
            "nothing above 0, which a log axis needs" if raw else "no figure here" if data.own.rows else "no figure yet"
        )
        return _empty(size, why)
    smooth = _bins(data.own, span, dots, look, look.smoothing) if look.smoothing else []
    layers = _layers(data, scale, (raw, smooth, other), size, style)
    for row, cells in _points(data, scale, span, size).items() if data.errors else ():
        layers[row].insert(0, (cells, "strong"))
    if look.log and has_gaps([*raw, *other]):
        layers[-1].insert(0, ("≤ 0 left out"[: size[0]].rjust(size[0]), "warn"))
    return _rows(data, span, size, look, scale, layers)


def _bins(item: Curve, span: tuple[float, float], dots: int, look: Look, smoothing: int) -> list[Bin]:
    if not item.rows:
        return []
    ys = look.memory.smoothed(item.ys, item.rows, smoothing) if smoothing else item.ys
    return look.memory.bins(item.xs, ys, item.rows, span, dots)


def _with_errors(data: ChartData, span: tuple[float, float], dots: int) -> list[Bin]:
    """A bin a dot column, from the lowest end of its error bars to the highest."""
    found: dict[int, list[tuple[float, float, float]]] = {}
    for x, y, error in zip(data.xs, data.ys, data.errors, strict=True):
        if (column := plot_column(x, span, dots)) is not None or span[0] == span[1]:
            found.setdefault(column or 0, []).append((y - error, y, y + error))
    return [
        Bin(column, min(low for low, _, _ in bars), sum(y for _, y, _ in bars) / len(bars), max(high for _, _, high in bars), False)
        for column, bars in found.items()
    ]  # fmt: skip


def _points(data: ChartData, scale: Scale, span: tuple[float, float], size: tuple[int, int]) -> dict[int, str]:
    """By row, its cells with a dot at each value."""
    found: dict[int, list[str]] = {}
    for x, y in zip(data.xs, data.ys, strict=True):
        column = 0 if span[0] == span[1] else plot_column(x, span, size[0])
        if column is not None:
            row = min(max(_row(y, scale, size[1]), 0), size[1] - 1)
            found.setdefault(row, [" "] * size[0])[column] = POINT
    return {row: "".join(cells) for row, cells in found.items()}


def _layers(
    data: ChartData,
    scale: Scale,
    curves: tuple[list[Bin], list[Bin], list[Bin]],
    size: tuple[int, int],
    style: ChartStyle,
) -> list[list[Layer]]:
    """By row, front first: one's own curve, the other run's, the raw one behind a smoothed one, the band of extremes."""
    raw, smooth, other = (in_units(bins, scale) for bins in curves)
    front = curve(smooth or raw, scale.bounds, size, style)
    found = [[(line, data.role)] for line in front]
    behind = [(curve(other, scale.bounds, size, style, "dashed"), OTHER_ROLE)] if other else []
    behind += [(curve(raw, scale.bounds, size, style, "faint"), "band")] if smooth else []
    behind.append((band(raw, scale.bounds, size, style), "band"))
    for lines, role in behind:
        for row, line in zip(found, lines, strict=True):
            row.append((line, role))
    return found


def _rows(
    data: ChartData,
    span: tuple[float, float],
    size: tuple[int, int],
    look: Look,
    scale: Scale,
    layers: list[list[Layer]],
) -> list[Line]:
    ticks, lines = _ticks(data, scale, size[1], look.guides)
    cursor = plot_column(look.cursor, span, size[0]) if look.cursor is not None else None
    signs = {column: (MARK, "mark") for mark in data.marks if (column := plot_column(mark, span, size[0])) is not None}
    end = plot_column(ends_at, span, size[0]) if (ends_at := end_of_shorter(data)) is not None else None
    signs |= {end: (END, OTHER_ROLE)} if end is not None else {}
    signs |= {cursor: ("│", "key")} if cursor is not None else {}
    found: list[Line] = []
    for row, layer in enumerate(layers):
        label = scale.label(ticks[row]) if row in ticks else ""
        axis: Span = (f"{label:>{AXIS - 1}}{'┤' if row in ticks else '│'}", "faint")
        found.append((axis, *merged(layer, signs, lines.get(row, (" ", "")), cursor)))
    return found


def _ticks(data: ChartData, scale: Scale, rows: int, guides: bool) -> tuple[dict[int, float], dict[int, Span]]:
    """Row → the tick labelled there, and row → the line across it. Without guides the ends alone."""
    lines: dict[int, Span] = {}
    ticks: dict[int, float] = {}
    if guides or scale.log:  # on a logarithmic axis the ends alone say too little
        places = {
            _row(place, scale, rows): place for place in scale.ticks(3 if rows >= 7 or (scale.log and rows >= 5) else 1)
        }
        ticks |= {row: place for row, place in places.items() if 0 < row < rows - 1}
    if guides:
        lines |= dict.fromkeys(ticks, ("┈", "track"))
        for usual in data.usual:
            place = None if usual is None else scale.drawn(usual)
            if place is not None and scale.low <= place <= scale.high:
                lines[_row(place, scale, rows)] = ("╌", "good")
    return {**ticks, rows - 1: scale.low, 0: scale.high}, lines


def _row(place: float, scale: Scale, rows: int) -> int:
    return round((scale.high - place) / (scale.high - scale.low) * (rows - 1))


def _empty(size: tuple[int, int], words: str) -> list[Line]:
    columns, rows = size
    note = crop_text(words, columns)
    return [
        ((f"{'':>{AXIS - 1}}│", "faint"), (note.center(columns) if row == rows // 2 else "", "faint"))
        for row in range(rows)
    ]


def _x_axis(data: ChartData, columns: int, span: tuple[float, float]) -> Line:
    corner = f"{'':>{AXIS - 1}}└"
    if not data.own.rows and data.other is None:
        return text_line(corner + "─" * columns, "faint")
    left, right = (formatting.short(x) for x in span)
    gap = columns - len(left) - len(right) - 2
    if gap < 1 or span[0] == span[1]:
        return text_line(corner + f" {right}".rjust(columns, "─"), "faint")
    return text_line(f"{corner}{left} {'─' * gap} {right}", "faint")
