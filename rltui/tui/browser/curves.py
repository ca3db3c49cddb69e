"""A metric between two saved states: of one line of training in one row, of two over their timesteps. Pure.

The figures beside it are those of the two states, as in the table above; single iterations make the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rltui import formatting
from rltui.events.metrics import metric_of
from rltui.tui.paint import Line, Span, crop, pad, text_line, wrap
from rltui.tui.run.history import History
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.chart import (
    END,
    LEGEND,
    MARK,
    OTHER_ROLE,
    ChartData,
    Curve,
    Look,
    chart,
    end_of_shorter,
    whole_span,
)
from rltui.tui.widgets.common_range import common_range
from rltui.tui.widgets.sparkline import sparkline

HEIGHT = 10  # lines, title and axis included
Told = tuple[str, History]  # a run and what its journal tells


@dataclass(frozen=True, slots=True)
class Ends:
    """A metric at the older and at the newer state. episodes: over which each is a mean; None: of the states' iterations."""

    older: float | None
    newer: float | None
    episodes: tuple[int | None, int | None] | None = None

    def window(self, newer_first: bool = False) -> str:
        """Over what the two are taken, in words."""
        if self.episodes is None:
            return "the iterations at the two states"
        first, second = self.episodes[::-1] if newer_first else self.episodes
        return f"means over {first:,} and {second:,} episodes" if first and second else "as they were saved"


@dataclass(frozen=True, slots=True)
class Sight:
    """How two curves are looked at. whole: all timesteps also where the one is too short to be seen in them."""

    style: ChartStyle = "braille"
    whole: bool = False
    marks: Sequence[float] = ()  # of the newer one's run


def one_curve(between: Told, metric: str, ends: Ends, width: int) -> list[Line]:
    """Its ends, the curve with its extent, its first and last step; in words where there is nothing to show."""
    run, history = between
    about = metric_of(metric)
    xs, ys = history.series(metric)
    known = [value for value in ys if value == value]
    if not known:
        why = "has no iteration between them" if not history.length else f"knows no {about.label} there"
        return wrap(f"The journal of {run} {why}", width, "muted")
    title: Line = (
        (about.label, "title"),
        (f"  {formatting.number(ends.older)} → {formatting.number(ends.newer)} {about.unit}".rstrip(), "strong"),
        (f"  {ends.window()}", "muted"),
    )
    extent = f"{formatting.number(min(known))} to {formatting.number(max(known))}"
    single = wrap(f"{formatting.plural(len(known), 'single iteration')}, from {extent}:", width, "muted")
    steps: Line = (
        (pad(formatting.short(xs[0]), width // 2), "muted"),
        (pad(formatting.short(xs[-1]), width - width // 2, ">"), "muted"),
    )
    return [title, *single, text_line(sparkline(xs, ys, width), "series-1"), steps]


def two_curves(other: Told, own: Told, metric: str, ends: Ends, sight: Sight, width: int) -> list[Line]:
    """Where both can be seen, or all. own: of the state that came further. One with nothing to show is told of in words."""
    about = metric_of(metric)
    missing = [run for run, history in (other, own) if not history.length or metric not in history.columns]
    told = [row for run in missing for row in wrap(f"The journal of {run} knows no {about.label}", width, "muted")]
    if len(missing) == 2:
        return told
    mine, theirs = _curve(own[1], metric), _curve(other[1], metric)
    data = ChartData(
        about.label, about.unit, "series-1", mine.xs, mine.ys, sight.marks, mine.rows, theirs, told=(ends.newer, ends.older)
    )  # fmt: skip
    common = common_range(mine, theirs)
    span = (
        common if common is not None and not sight.whole else whole_span(*(one for one in (mine, theirs) if one.rows))
    )
    legend = _legend(other[0], own[0], data, sight.style, width)
    window = f"Figures at the right: {ends.window(newer_first=True)}; the curves are of single iterations"
    picture = chart(data, width, HEIGHT, sight.style, Look(span=span))
    return [*legend, *wrap(window, width, "muted"), *picture, *_shown(common, sight, width), *told]


def fits_common(other: History, own: History, metric: str) -> bool:
    """Whether one is so much shorter that only a part of the timesteps shows both."""
    return common_range(_curve(own, metric), _curve(other, metric)) is not None


def _shown(common: tuple[float, float] | None, sight: Sight, width: int) -> list[Line]:
    """Which timesteps, where there is a choice."""
    if common is None:
        return []
    words = (
        "all timesteps; w: those near which both are" if sight.whole else "the timesteps near which both are; w: all"
    )
    return wrap(f"Shown are {words}", width, "muted")


def _curve(history: History, metric: str) -> Curve:
    column = history.columns.get(metric)
    return Curve((), (), 0) if column is None else Curve(history.timesteps, column, history.length)


def _legend(other: str, own: str, data: ChartData, style: ChartStyle, width: int) -> list[Line]:
    spans: list[Span] = [(f"{LEGEND[style][0]} ", data.role), (own, "strong")]
    spans += [(f"  {LEGEND[style][1]} ", OTHER_ROLE), (other, "strong")]
    lines = [crop(tuple(spans), width)]
    parts: list[Span] = []
    end = end_of_shorter(data)
    if end is not None and data.other is not None:
        first = other if data.other.xs[data.other.rows - 1] == end else own
        parts += [(f"{END} ", OTHER_ROLE), (f"{first} reaches {formatting.short(end)} timesteps  ", "muted")]
    parts += [(f"{MARK} ", "mark"), (f"resumes and changes of {own}", "muted")] if data.marks else []
    return [*lines, crop(tuple(parts), width)] if parts else lines
