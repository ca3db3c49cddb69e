"""Pane on turtle recovery, added up over iterations: counts, success with its interval, times.

An iteration's counts are exact sums, so they add up; medians do not, and stay those of the newest iteration that knows one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.game_record import Interval, wilson
from rltui.run_state.history import History
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, beside, crop, pad, wrap
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.chart import ChartData, chart
from rltui.tui.widgets.list_view import ScrollableLines

REFERENCES = (("jump press", 81), ("throttle + roll", 92), ("throttle", 106), ("idle", None))  # ticks, SPEC's probe
TICKS = 120  # a second
KEY = metric_keys.TURTLE_EVENTS
_COUNTS = ("events", "recovered", "failed", "censored")
RECENT = 100  # iterations
LABEL, COLUMN = 15, 21
CHART = 8  # lines
LEAST = 4  # lines that a chart needs
TABLE, REFERENCE, GAP = LABEL + 3 * COLUMN, 44, 4  # columns, side by side


@dataclass(frozen=True, slots=True)
class Turtles:
    """Turtle counts of one arena group over some iterations. Unknown is None."""

    events: int
    recovered: int
    failed: int
    censored: int  # cut by the episode's end or a demolition: neither success nor failure
    per_minute: float | None
    mean_ticks: float | None

    @property
    def rate(self) -> float | None:
        """0–1, of those whose end is known."""
        known = self.recovered + self.failed
        return self.recovered / known if known else None

    @property
    def interval(self) -> Interval | None:
        """95 %, of `rate`."""
        return None if self.rate is None else wilson(self.rate, self.recovered + self.failed)


def groups(history: History) -> list[str]:
    """Prefixes of the arena groups that count turtles, "" the match's, in the journal's order."""
    return [key.removesuffix(KEY) for key in history.columns if key == KEY or key.endswith(f"/{KEY}")]


def any_turtled(history: History) -> bool:
    """Whether a car has ever turtled, in any arena group."""
    return any(_sum(history, f"{group}{KEY}", 0, history.length) for group in groups(history))


def over(history: History, group: str = "", rows: int | None = None) -> Turtles:
    """The newest `rows` iterations together; None: all of them."""
    start = 0 if rows is None else max(history.length - rows, 0)
    counts = {name: _sum(history, f"{group}turtle/{name}", start, history.length) for name in _COUNTS}
    return Turtles(
        **{name: int(count) for name, count in counts.items()},
        per_minute=_mean(history, f"{group}{metric_keys.TURTLES_PER_MINUTE}", start),
        mean_ticks=_weighted(history, group, start),
    )


def newest(history: History, key: str) -> tuple[float | None, int]:
    """The newest known value and how many iterations old it is; (None, 0) where there is none."""
    column = history.columns.get(key)
    for back in range(history.length if column is not None else 0):
        value = column[history.length - 1 - back] if column is not None else math.nan
        if value == value:
            return value, back
    return None, 0


def curves(history: History, group: str = "", points: int = 400) -> tuple[list[float], list[float], list[float]]:
    """(timesteps, success in %, events per minute) of up to `points` groups of neighbouring iterations; NaN where unknown."""
    size = max(-(-history.length // points), 1)
    xs, rates, often = [], [], []
    for start in range(0, history.length, size):
        end = min(start + size, history.length)
        won, lost = (_sum(history, f"{group}turtle/{name}", start, end) for name in ("recovered", "failed"))
        xs.append(history.timesteps[end - 1])
        rates.append(100 * won / (won + lost) if won + lost else math.nan)
        mean = _mean(history, f"{group}{metric_keys.TURTLES_PER_MINUTE}", start, end)
        often.append(math.nan if mean is None else mean)
    return xs, rates, often


def _known(history: History, key: str, start: int, end: int | None = None) -> Sequence[float]:
    column = history.columns.get(key)
    if column is None:
        return ()
    part = column[start : history.length if end is None else end]
    has_unknown = math.isnan(sum(part))
    return [value for value in part if value == value] if has_unknown else part


def _sum(history: History, key: str, start: int, end: int) -> float:
    return sum(_known(history, key, start, end))


def _mean(history: History, key: str, start: int, end: int | None = None) -> float | None:
    values = _known(history, key, start, end)
    return sum(values) / len(values) if values else None


def _weighted(history: History, group: str, start: int) -> float | None:
    """Mean ticks of all recoveries: each iteration's mean counts by how many it holds."""
    means, counts = (history.columns.get(f"{group}turtle/{name}") for name in ("mean_ticks", "recovered"))
    if means is None or counts is None:
        return None
    pairs = zip(means[start : history.length], counts[start : history.length], strict=True)
    known = [(mean, count) for mean, count in pairs if mean == mean and count == count and count > 0]
    total = sum(count for _, count in known)
    return sum(mean * count for mean, count in known) / total if total else None


class TurtlePane(Pane, ScrollableLines):
    """A table for each arena group, what others need for comparison, charts in the room that is left."""

    NUMBER = "6"
    SLOT = "charts"
    ROOMY_SLOT = "side"
    WANTS = 15
    NAME = "Turtle recovery"
    SHORT = "Turtle"
    EVERY = 0.9
    EMPTY = (
        "No car has landed on its roof yet. How often cars do, and how well they recover, appears here. "
        "<debug_turtled_start> starts new episodes on the roof."
    )
    HELP = (
        "Turtled: on its roof. Recovered: three wheels down within 3 s. Cut: the episode ended or the car was demolished "
        "first; not counted. The interval holds the true rate in 95 of 100 cases (Wilson). Times are of recoveries, "
        "medians of the newest iteration with any. <debug_turtled_start> starts new episodes on the roof."
    )

    def has_nothing(self, view: View) -> bool:
        return not any_turtled(view.snapshot.history)

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.charts

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        history = view.snapshot.history
        table: list[Line] = []
        for group in groups(history):
            table += [*([()] if table else []), *_table(history, group, min(width, TABLE))]
        if width >= TABLE + REFERENCE + GAP:
            right = width - TABLE - GAP
            lines = beside([table, list(_references(history, right))], [TABLE, right], GAP)
        else:
            lines = [*table, (), *_references(history, width)]
        room = height - len(lines) - 1
        if room >= LEAST:
            lines += [(), *_charts(view, width, min(room, 3 * CHART))]
        return self.window(lines, height)


def _table(history: History, group: str, width: int) -> Iterator[Line]:
    """Newest iteration, the newest hundred, the whole run; fewer columns where there is no room."""
    columns = [("newest iteration", over(history, group, 1)), ("whole run", over(history, group))]
    if history.length > RECENT:
        columns.insert(1, (f"last {RECENT} iterations", over(history, group, RECENT)))
    columns = columns[-max(min((width - LABEL) // COLUMN, 3), 1) :]
    name = group.rstrip("/") or "match"
    yield crop((_cell(name, LABEL, "title"), *(_cell(text, COLUMN, "muted", ">") for text, _ in columns)), width)
    for label, figure, role in _ROWS:
        cells = [_cell(figure(part), COLUMN, role if part.events else "muted", ">") for _, part in columns]
        yield crop((_cell(label, LABEL, "muted"), *cells), width)
    for index, row in enumerate(wrap(_times(history, group), max(width - LABEL, 10))):
        yield (_cell("time to wheels" if not index else "", LABEL, "muted"), *row)


def _cell(text: str, size: int, role: str, align: str = "<") -> tuple[str, str]:
    return (pad(text, size, align), role)


def _success(part: Turtles) -> str:
    if part.rate is None or part.interval is None:
        return formatting.UNKNOWN
    low, high = part.interval
    return f"{100 * part.rate:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


_ROWS = (
    ("turtled", lambda part: formatting.count(part.events), "strong"),
    ("recovered", lambda part: formatting.count(part.recovered), "good"),
    ("not recovered", lambda part: formatting.count(part.failed), "bad"),
    ("cut", lambda part: formatting.count(part.censored), "muted"),
    ("success", _success, "strong"),
    ("turtled / min", lambda part: formatting.number(part.per_minute), ""),
    ("mean time", lambda part: _both(part.mean_ticks), ""),
)


def _both(ticks: float | None) -> str:
    return formatting.UNKNOWN if ticks is None else f"{formatting.duration(ticks / TICKS)}, {ticks:.0f} ticks"


def _times(history: History, group: str) -> str:
    """Median and p90 of the newest iteration that knows them, and how old that is."""
    median, back = newest(history, f"{group}turtle/median_ticks")
    p90, _ = newest(history, f"{group}turtle/p90_ticks")
    if median is None:
        return f"{formatting.UNKNOWN}: none has recovered yet"
    return f"median {_ticks(median)}, p90 {_ticks(p90).replace(' ticks', '')}" + (f"; {back} it. ago" if back else "")


def _ticks(ticks: float | None) -> str:
    return formatting.UNKNOWN if ticks is None else f"{ticks:.0f} ticks ({formatting.duration(ticks / TICKS)})"


def _references(history: History, width: int) -> Iterator[Line]:
    """The median beside what simple means take, as bars."""
    median, _ = newest(history, "turtle/median_ticks")
    rows: list[tuple[str, float | None, bool]] = [(name, ticks, False) for name, ticks in REFERENCES]
    rows = sorted([*rows, ("this bot, median", median, True)], key=lambda row: row[1] or float("inf"))
    most = max(ticks for _, ticks, _ in rows if ticks is not None)
    yield (("from the roof to the wheels, in ticks", "title"),)
    for name, ticks, mine in rows:
        words = ("never" if not mine else formatting.UNKNOWN) if ticks is None else f"{ticks:.0f}"
        bar = filled_bar(ticks / most if ticks else 0.0, min(max(width - 28, 4), 50), "series-1" if mine else "band")
        yield crop(((pad(f"  {name}", 20), "strong" if mine else "muted"), (pad(words, 6, ">") + "  ", "strong" if mine else ""), *bar), width)  # fmt: skip


def _charts(view: View, width: int, height: int) -> list[Line]:
    """Success and how often, side by side."""
    xs, rates, often = curves(view.snapshot.history)
    half = (width - 2) // 2
    marks = [mark.timesteps for mark in view.snapshot.marks]
    success = ChartData("recovered", "%", "series-3", xs, rates, marks)
    rate = ChartData("turtled", "/min", "series-2", xs, often, marks)
    if half < 24:
        return chart(success, width, height, view.charts)
    blocks = [chart(success, half, height, view.charts), chart(rate, width - 2 - half, height, view.charts)]
    return beside(blocks, [half, width - 2 - half])
