"""Where an iteration's time goes: steps a second, every part of an iteration, the bottleneck with what to change about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rltui import formatting
from rltui.events import metric_keys
from rltui.tui.paint import Line, Span, ends, pad, text_line, width_of, wrap
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.time_parts import Part, advice, bottleneck, folded, parts, percents, share_of_limit
from rltui.tui.run.iteration_times import iteration_times
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.since import change_since
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.columns import Columns
from rltui.tui.widgets.sparkline import sparkline_of

RATES = (("collected", metric_keys.COLLECTED_SPEED), ("consumed", metric_keys.CONSUMED_SPEED), ("overall", metric_keys.OVERALL_SPEED))  # fmt: skip
NAME, SHARE, FIGURE, CURVE = 11, 8, 8, 16  # columns
WIDE = 64  # columns from which on each part has its trend
Trend = Callable[[str], str]  # a metric's, in CURVE columns


class TimePane(Pane):
    """One bar for each part, in a fixed order."""

    NUMBER = "3"
    SLOT = "time"
    NAME = "Where the time goes"
    SHORT = "Time"
    EVERY = 2.9
    EMPTY = "Here will be how an iteration's time is spent, after the first one."
    HELP = (
        "All is over the newest 20 iterations of this start together, as the speed above is: of one alone another part is the "
        "largest each time. Percent are of a whole iteration and sum to 100. update and save are the trainer's seconds; the others are what the "
        "workers do while collecting, in microseconds per step of one arena, scaled to the collection's share; wait is what "
        "the trainer waits for beside that, the slowest worker above all. Of the limit: how near collecting comes to stepping "
        "the bare simulator on the same cores. The largest part is the bottleneck: making anything else faster gains little. "
        "collected: steps a second while collecting; consumed: while updating; overall: of whole iterations, so never above "
        "either."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._memory = Columns()

    def has_nothing(self, view: View) -> bool:
        return not formatting.known(view.snapshot.metrics.get(metric_keys.ITERATION_SECONDS))

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.header is None, view.snapshot.opened

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        found = parts(view.snapshot)
        top = bottleneck(found)
        device = view.snapshot.header.device if view.snapshot.header else ""
        foot = wrap(advice(top, _share(found, top), device), width, "muted") if top is not None else []
        trend = partial(sparkline_of, view.snapshot.history, width=CURVE, memory=self._memory)
        head = _head(view.snapshot, trend, width)
        spare = height - len(found)
        head = head[: max(min(len(head), spare - (len(foot) + 1)), min(len(head), 1) if spare > 1 else 0)]
        head += [text_line("─" * width, "track")] if spare - len(head) - len(foot) - 1 > 0 and head else []
        foot = foot if height - len(head) - len(foot) - 1 >= min(len(found), 3) else []
        room = height - len(head) - (len(foot) + 1 if foot else 0)
        shown = folded(found, max(room, 1))
        told = [_figure(part) for part in shown]
        room_for = max([FIGURE, *(len(figure) + 1 for figure in told)])
        lines = [
            _line(trend, (part, text, figure), part.name == (top.name if top else ""), width, room_for)
            for part, text, figure in zip(shown, percents(shown), told, strict=True)
        ]
        return [*head, *lines[: max(room, 1)], *([(), *foot] if foot else [])][:height]


def _share(found: list[Part], part: Part) -> str:
    """As the part's own line has it."""
    return percents(found)[found.index(part)]


def _head(snapshot: RunSnapshot, trend: Trend, width: int) -> list[Line]:
    """The iteration's seconds and how near to the limit, then the steps a second, with their trend where there is room."""
    times = iteration_times(snapshot)
    metrics = times.metrics
    left: Line = (("iteration ", "muted"), (formatting.duration(metrics.get(metric_keys.ITERATION_SECONDS)), "strong"))
    over: Line = ((f" over {times.iterations} it." if times.iterations else " before this start", "muted"),)
    limit = share_of_limit(snapshot)
    words = "collecting at " if width >= WIDE else ""
    limited: Line = ((words, "muted"), (formatting.percent(limit), "strong"), (" of limit", "muted"))
    right = limited if limit is not None else ()
    left = (*left, *over) if width_of((*left, *over)) + width_of(right) + 2 <= width else left
    right = right if width_of(left) + width_of(right) + 2 <= width else ()
    lines = [ends(left, right, width)]
    if width >= WIDE:
        return [*lines, *(_rate(snapshot, name, trend(key), (key, metrics.get(key))) for name, key in RATES)]
    cells = [((f"{name} ", "muted"), (formatting.rate(metrics.get(key)), "strong")) for name, key in RATES]
    while cells and sum(width_of(cell) for cell in cells) + 2 * (len(cells) - 1) > width:
        cells.pop(0)
    gaps = (width - sum(width_of(cell) for cell in cells)) // max(len(cells) - 1, 1)
    spans: list[Span] = []
    for index, cell in enumerate(cells):
        spans += [(" " * min(gaps, 4), "")] if index else []
        spans += cell
    return [*lines, tuple(spans)] if spans else lines


def _rate(snapshot: RunSnapshot, name: str, curve: str, told: tuple[str, float | None]) -> Line:
    """told: the metric's key, and its figure now."""
    key, now = told
    change = change_since(snapshot.history, key)
    percent = (
        f"{change.value / change.before * 100:+.1f} % in {change.span}" if change is not None and change.before else ""
    )
    return (
        (pad(name, NAME), "muted"),
        (f"{formatting.rate(now):>12}", "strong"),
        ("  " + curve, "band"),
        (f"  {percent}", "muted"),
    )


def _figure(part: Part) -> str:
    return formatting.micros(part.micros) if part.micros is not None else formatting.duration(part.seconds)


def _line(trend: Trend, told: tuple[Part, str, str], is_top: bool, width: int, room_for: int) -> Line:
    """told: the part, its share and its figure in words. room_for: columns of the figures."""
    part, percent, figure = told
    curve = CURVE + 2 if width >= WIDE else 0
    bar = max(width - NAME - SHARE - room_for - curve, 3)
    role = "series-2" if is_top else "series-1"
    row = trend(part.key) if curve and part.key else " " * CURVE
    return (
        (pad(part.name, NAME), "strong" if is_top else ""),
        *filled_bar(part.share or 0.0, bar, role),
        (pad(percent, SHARE, ">"), "strong" if is_top else ""),
        (pad(figure, room_for, ">"), "muted"),
        *((("  " + row, "band"),) if curve else ()),
    )
