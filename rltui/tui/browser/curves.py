"""A metric of two runs that did not come from each other, over their timesteps, where both can be seen. Pure."""

from __future__ import annotations

from rltui.events.metric_names import metric_of
from rltui.tui import figures
from rltui.tui.paint import Line, Span, crop, wrap
from rltui.tui.run.history import History
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.chart import END, LEGEND, OTHER_ROLE, ChartData, Curve, Look, chart, end_of_shorter, whole_span
from rltui.tui.widgets.common_range import common_range

HEIGHT = 10  # lines, title and axis included
Told = tuple[str, History]  # a run and what its journal tells


def two_curves(other: Told, own: Told, metric: str, width: int, style: ChartStyle) -> list[Line]:
    """own: of the state that came further. One with nothing to show is told of in words."""
    missing = [run for run, history in (other, own) if not history.length or metric not in history.columns]
    found = [
        row
        for run in missing
        for row in wrap(f"The journal of {run} knows no {metric_of(metric).label}", width, "muted")
    ]
    if len(missing) == 2:
        return found
    about = metric_of(metric)
    mine, theirs = _curve(own[1], metric), _curve(other[1], metric)
    data = ChartData(about.label, about.unit, "series-1", mine.xs, mine.ys, length=mine.rows, other=theirs)
    there = [curve for curve in (mine, theirs) if curve.rows]
    span = common_range(mine, theirs) or whole_span(*there)
    return [_legend(other[0], own[0], data, style, width), *chart(data, width, HEIGHT, style, Look(span=span)), *found]


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
