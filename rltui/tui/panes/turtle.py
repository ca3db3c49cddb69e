"""Turtle recovery: how often cars come to lie on their roof, how many get up again, and how fast."""

from __future__ import annotations

from collections.abc import Iterator

from rltui import formatting
from rltui.tui.paint import Line, beside, crop, pad, wrap
from rltui.tui.panes.pane import Pane, View
from rltui.tui.run import turtles
from rltui.tui.run.history import History
from rltui.tui.run.turtles import REFERENCES, TICKS, Turtles
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.chart import ChartData, chart
from rltui.tui.widgets.scrolled import Scrolled

RECENT = 100  # iterations
LABEL, COLUMN = 15, 21
CHART = 8  # lines
LEAST = 4  # lines that a chart needs
TABLE, REFERENCE, GAP = LABEL + 3 * COLUMN, 44, 4  # columns, side by side


class TurtlePane(Pane, Scrolled):
    """A table for each lane, what others need for comparison, charts in the room that is left."""

    NUMBER = "6"
    SLOT = "charts"
    ROOMY_SLOT = "side"
    WANTS = 15
    NAME = "Turtle recovery"
    SHORT = "Turtle"
    EVERY = 0.9
    EMPTY = (
        "No car has turtled yet: none came to lie on its roof. Here will be how often that happens, how many get back on "
        "their wheels and how fast. <debug_turtled_start> makes new episodes begin on the roof, to see it at once."
    )
    HELP = (
        "A car has turtled when it lies on its roof; it has recovered with three wheels down within 3 s. Cut ones were "
        "turtled when the episode ended or a demolition came: they count neither way. The interval holds the true rate in "
        "95 of 100 cases (Wilson). Times are of those that recovered; medians do not add up over iterations, so they are "
        "those of the newest iteration that knows one. <debug_turtled_start> makes new episodes begin on the roof."
    )

    def has_nothing(self, view: View) -> bool:
        return not turtles.any_turtled(view.snapshot.history)

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.charts

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        history = view.snapshot.history
        table: list[Line] = []
        for lane in turtles.lanes(history):
            table += [*([()] if table else []), *_table(history, lane, min(width, TABLE))]
        if width >= TABLE + REFERENCE + GAP:
            right = width - TABLE - GAP
            lines = beside([table, list(_references(history, right))], [TABLE, right], GAP)
        else:
            lines = [*table, (), *_references(history, width)]
        room = height - len(lines) - 1
        if room >= LEAST:
            lines += [(), *_charts(view, width, min(room, 3 * CHART))]
        return self.window(lines, height)


def _table(history: History, lane: str, width: int) -> Iterator[Line]:
    """Newest iteration, the newest hundred, the whole run; fewer columns where there is no room."""
    columns = [("newest iteration", turtles.over(history, lane, 1)), ("whole run", turtles.over(history, lane))]
    if history.length > RECENT:
        columns.insert(1, (f"last {RECENT} iterations", turtles.over(history, lane, RECENT)))
    columns = columns[-max(min((width - LABEL) // COLUMN, 3), 1) :]
    name = lane.rstrip("/") or "match"
    yield crop((_cell(name, LABEL, "title"), *(_cell(text, COLUMN, "muted", ">") for text, _ in columns)), width)
    for label, figure, role in _ROWS:
        cells = [_cell(figure(part), COLUMN, role if part.events else "muted", ">") for _, part in columns]
        yield crop((_cell(label, LABEL, "muted"), *cells), width)
    for index, row in enumerate(wrap(_times(history, lane), max(width - LABEL, 10))):
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


def _times(history: History, lane: str) -> str:
    """Median and p90 of the newest iteration that knows them, and how old that is."""
    median, back = turtles.newest(history, f"{lane}turtle/median_ticks")
    p90, _ = turtles.newest(history, f"{lane}turtle/p90_ticks")
    if median is None:
        return f"{formatting.UNKNOWN}: none has recovered yet"
    return f"median {_ticks(median)}, p90 {_ticks(p90).replace(' ticks', '')}" + (f"; {back} it. ago" if back else "")


def _ticks(ticks: float | None) -> str:
    return formatting.UNKNOWN if ticks is None else f"{ticks:.0f} ticks ({formatting.duration(ticks / TICKS)})"


def _references(history: History, width: int) -> Iterator[Line]:
    """The median beside what simple means take, as bars."""
    median, _ = turtles.newest(history, "turtle/median_ticks")
    rows: list[tuple[str, float | None, bool]] = [(name, ticks, False) for name, ticks in REFERENCES]
    rows = sorted([*rows, ("this bot, median", median, True)], key=lambda row: row[1] or float("inf"))
    most = max(ticks for _, ticks, _ in rows if ticks is not None)
    yield (("from the roof to the wheels, in ticks", "title"),)
    for name, ticks, mine in rows:
        told = ("never" if not mine else formatting.UNKNOWN) if ticks is None else f"{ticks:.0f}"
        bar = filled_bar(ticks / most if ticks else 0.0, min(max(width - 28, 4), 50), "series-1" if mine else "band")
        yield crop(((pad(f"  {name}", 20), "strong" if mine else "muted"), (pad(told, 6, ">") + "  ", "strong" if mine else ""), *bar), width)  # fmt: skip


def _charts(view: View, width: int, height: int) -> list[Line]:
    """Success and how often, side by side."""
    xs, rates, often = turtles.curves(view.snapshot.history)
    half = (width - 2) // 2
    marks = [mark.timesteps for mark in view.snapshot.marks]
    success = ChartData("recovered", "%", "series-3", xs, rates, marks)
    rate = ChartData("turtled", "/min", "series-2", xs, often, marks)
    if half < 24:
        return chart(success, width, height, view.charts)
    blocks = [chart(success, half, height, view.charts), chart(rate, width - 2 - half, height, view.charts)]
    return beside(blocks, [half, width - 2 - half])
