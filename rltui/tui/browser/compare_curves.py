"""A metric of two saved states from different lines of training, over their timesteps.

The figures beside it are those of the two states, as in the table above; single iterations make the curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rltui import formatting
from rltui.events.metrics import metric_of
from rltui.events.records import (
    IterationFinished,
    PhaseChanged,
    Record,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
)
from rltui.run_state.history import History
from rltui.runs.journal import read_journal
from rltui.runs.journal_reader import current_records
from rltui.runs.paths import DataDir
from rltui.tui.ascii import ChartStyle
from rltui.tui.text import Line, Span, crop, wrap
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

HEIGHT = 10  # lines, title and axis included
RunHistory = tuple[str, History]
Place = tuple[str, int]  # a run, and the timesteps at which one of its states was saved
Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EndValues:
    """A metric at the older and at the newer state. episodes: over which each is a mean; None: of the states' iterations."""

    older: float | None
    newer: float | None
    episodes: tuple[int | None, int | None] | None = None

    def window(self) -> str:
        """Over what the two are taken, in words, the newer first."""
        if self.episodes is None:
            return "the iterations at the two states"
        older, newer = self.episodes
        return f"means over {newer:,} and {older:,} episodes" if older and newer else "as they were saved"


def two_curves(
    other: RunHistory,
    own: RunHistory,
    metric: str,
    ends: EndValues,
    marks: Sequence[float],
    style: ChartStyle,
    width: int,
) -> list[Line]:
    """own: of the state that came further, which has the marks. One with nothing to show is told of in words."""
    about = metric_of(metric)
    missing = [run for run, history in (other, own) if not history.length or metric not in history.columns]
    notes = [row for run in missing for row in wrap(f"The journal of {run} knows no {about.label}", width, "muted")]
    if len(missing) == 2:
        return notes
    mine, theirs = _curve(own[1], metric), _curve(other[1], metric)
    data = ChartData(
        about.label, about.unit, "series-1", mine.xs, mine.ys, marks, mine.rows, theirs, figures=(ends.newer, ends.older)
    )  # fmt: skip
    span = whole_span(*(one for one in (mine, theirs) if one.rows))
    legend = _legend(other[0], own[0], data, style, width)
    window = f"Figures at the right: {ends.window()}; the curves are of single iterations"
    picture = chart(data, width, HEIGHT, style, Look(span=span))
    return [*legend, *wrap(window, width, "muted"), *picture, *notes]


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


@dataclass(frozen=True)
class Curves:
    """own: iterations of the newer one's run; where training led from the older to it, those between the two.

    other: of the older one's run, where that is another line of training. Both up to the state that is compared.
    marks: timesteps of resumes, phases and changes by hand in `own`. weights: of the rewards at the older and at the newer
    one as their profiles had them, empty where that is not told. problem: why nothing can be read.
    """

    own: History
    other: History | None = None
    marks: Sequence[float] = ()
    weights: tuple[Weights, Weights] = field(default_factory=lambda: ({}, {}))
    problem: str = ""


def read_curves(data: DataDir, older: Place, newer: Place, of_one_line: bool) -> Curves:
    """Call it in a thread. of_one_line: training led from the older one to the newer. OSError where it cannot be read."""
    (run, high), (other, low) = newer, older
    records = _records(data, run)
    others = records if other == run else _records(data, other)
    start = low if of_one_line else 0  # a branch has its parent's rows too
    return Curves(
        _history(records, start, high),
        None if of_one_line else _history(others, 0, low),
        _marks(records, start, high),
        (_weights(others, low), _weights(records, high)),
    )


def _records(data: DataDir, run: str) -> list[Record]:
    return current_records(read_journal(data.run(run).journal))


def _history(records: Sequence[Record], low: int, high: int) -> History:
    rows = [r for r in records if isinstance(r, IterationFinished) and low <= r.timesteps <= high]
    return History().extended((row.timesteps, row.metrics) for row in rows)


def _marks(records: Sequence[Record], low: int, high: int) -> list[float]:
    kinds = RunResumed | PhaseChanged | StageChanged | SettingChanged
    return sorted({r.timesteps for r in records if isinstance(r, kinds) and low < r.timesteps < high})


def _weights(records: Sequence[Record], timesteps: int) -> Weights:
    """Of the newest start or task at work then: one that begins there has not trained the state that was saved there."""
    found: Weights = {}
    for record in records:
        if isinstance(record, RunStarted) and record.timesteps <= timesteps:
            found = record.reward_weights
        elif isinstance(record, PhaseChanged | StageChanged) and record.timesteps < timesteps:
            found = record.task.reward_weights
    return found
