"""A metric between two saved states: of one line of training in one row, of two over their timesteps. Pure."""

from __future__ import annotations

from rltui.events.metric_names import metric_of
from rltui.tui import figures
from rltui.tui.paint import Line, Span, crop, pad, text_line, wrap
from rltui.tui.run.history import History
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.chart import END, LEGEND, OTHER_ROLE, ChartData, Curve, Look, chart, end_of_shorter, whole_span
from rltui.tui.widgets.common_range import common_range
from rltui.tui.widgets.sparkline import sparkline

HEIGHT = 10  # lines, title and axis included
Told = tuple[str, History]  # a run and what its journal tells


def one_curve(between: Told, metric: str, width: int) -> list[Line]:
    """Its ends and extent, the curve, its first and last step; in words where there is nothing to show."""
    run, history = between
    about = metric_of(metric)
    xs, ys = history.series(metric)
    known = [value for value in ys if value == value]
    if not known:
        why = "has no iteration between them" if not history.length else f"knows no {about.label} there"
        return wrap(f"The journal of {run} {why}", width, "muted")
    ends = f"{figures.number(known[0])} → {figures.number(known[-1])}"
    extent = f"from {figures.number(min(known))} to {figures.number(max(known))}"
    title: Line = (
        (about.label, "title"),
        (f"  {ends} {about.unit}".rstrip(), "strong"),
        (f"  {extent}, {figures.plural(len(known), 'iteration')}", "muted"),
    )
    steps: Line = (
        (pad(figures.short(xs[0]), width // 2), "muted"),
        (pad(figures.short(xs[-1]), width - width // 2, ">"), "muted"),
    )
    return [title, text_line(sparkline(xs, ys, width), "series-1"), steps]


def two_curves(other: Told, own: Told, metric: str, width: int, style: ChartStyle) -> list[Line]:
    """Where both can be seen. own: of the state that came further. One with nothing to show is told of in words."""
    about = metric_of(metric)
    missing = [run for run, history in (other, own) if not history.length or metric not in history.columns]
    told = [row for run in missing for row in wrap(f"The journal of {run} knows no {about.label}", width, "muted")]
    if len(missing) == 2:
        return told
    mine, theirs = _curve(own[1], metric), _curve(other[1], metric)
    data = ChartData(about.label, about.unit, "series-1", mine.xs, mine.ys, length=mine.rows, other=theirs)
    there = [curve for curve in (mine, theirs) if curve.rows]
    span = common_range(mine, theirs) or whole_span(*there)
    return [_legend(other[0], own[0], data, style, width), *chart(data, width, HEIGHT, style, Look(span=span)), *told]


def _curve(history: History, metric: str) -> Curve:
    column = history.columns.get(metric)
    return Curve((), (), 0) if column is None else Curve(history.timesteps, column, history.length)


def _legend(other: str, own: str, data: ChartData, style: ChartStyle, width: int) -> Line:
    spans: list[Span] = [(f"{LEGEND[style][0]} ", data.role), (own, "strong")]
    spans += [(f"  {LEGEND[style][1]} ", OTHER_ROLE), (other, "strong")]
    end = end_of_shorter(data)
    if end is not None and data.other is not None:
        first = other if data.other.xs[data.other.rows - 1] == end else own
        spans += [(f"  {END} ", OTHER_ROLE), (f"{first} reaches {figures.short(end)} steps", "muted")]
    return crop(tuple(spans), width)
