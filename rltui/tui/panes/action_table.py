"""Pane on the action table: how often each row is chosen, and what `rltui lut` finds in the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from textual import work
from textual.binding import BindingType
from textual.message import Message

from rltui import formatting
from rltui.events import metric_keys
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.actions import pane_bindings
from rltui.tui.background import if_mounted
from rltui.tui.checks.results import TableVerdict
from rltui.tui.dependencies import Program
from rltui.tui.panes.filterable import FilterablePane
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, clean, crop, pad, wrap
from rltui.tui.widgets.bars import filled_bar

ENOUGH = 1_000_000  # choices before anything is concluded: a new bot leans to one side for a while
LOPSIDED = 3.0  # times more to one side than to the other
FEW = 0.5  # share of rows never chosen that is worth a word
MUCH = 0.5  # share of one row that is worth a word
LEAST_ROWS = 5  # rows of the table that stay in view below the findings
BAR, LABEL = 20, 9  # columns
WORDS_AND_BAR = 90  # columns from which on there is room for both
STEER, PITCH, ROLL, JUMP, BOOST, HANDBRAKE = 1, 2, 4, 5, 6, 7
SIDES = (("left", "right", STEER, "turns"), ("down", "up", PITCH, "nose"), ("left", "right", ROLL, "rolls"))
_SIGNS = {"pass": ("✓", "good"), "warn": ("!", "warn"), "fail": ("✗", "bad")}
_VERDICTS = {
    "pass": "the table passes",
    "warn": "the table passes, with warnings",
    "fail": "the table fails: a bot cannot do everything with it",
}
Controls = Sequence[Sequence[float | None]]  # [rows][8]


@dataclass(frozen=True, slots=True)
class TableUsage:
    """Choices by row since the trainer started. Shares are 0–1 of all choices, None before the first."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)

    def share(self, row: int) -> float | None:
        return self.counts[row] / self.total if self.total else None

    @property
    def dead(self) -> int:
        """Rows never chosen."""
        return sum(not count for count in self.counts)

    @property
    def entropy(self) -> float | None:
        """Nats: −Σ p ln p over the rows; ln n where all n are chosen alike."""
        total = self.total
        if not total:
            return None
        return -sum(count / total * math.log(count / total) for count in self.counts if count)

    def order(self, by_use: bool) -> list[int]:
        """Row numbers, most chosen first or as the table has them."""
        rows = range(len(self.counts))
        return sorted(rows, key=lambda row: (-self.counts[row], row)) if by_use else list(rows)

    def held(self, controls: Controls, column: int, sign: int) -> float | None:
        """Share of choices that have this control on one side of zero."""
        if not self.total or len(controls) != len(self.counts):
            return None
        chosen = (count for count, row in zip(self.counts, controls, strict=True) if (row[column] or 0) * sign > 0)
        return sum(chosen) / self.total


def sides(use: TableUsage, controls: Controls) -> list[tuple[str, str, float, str, float]]:
    """(what, one side, its share, the other, its share) for steering, pitch and roll, where the table has them."""
    found = []
    for one, other, column, what in SIDES:
        first, second = use.held(controls, column, -1), use.held(controls, column, 1)
        if first is not None and second is not None and first + second > 0:
            found.append((what, one, first, other, second))
    return found


def warnings(use: TableUsage, controls: Controls) -> Iterator[str]:
    """What should not be so, once there are enough choices to say it."""
    total = use.total
    if total < ENOUGH:
        return
    what, one, left, other, right = next(iter(sides(use, controls)), ("", "", 0.0, "", 0.0))
    if what == "turns" and max(left, right) > LOPSIDED * min(left, right):
        yield f"turns {one} {_percent(left)}, {other} {_percent(right)}: is the observation mirrored?"
    most = max(range(len(use.counts)), key=lambda row: use.counts[row])
    if use.counts[most] > MUCH * total:
        yield f"row {most} is {_percent(use.counts[most] / total)} of all choices: if early, raise the entropy coefficient"
    if use.dead > FEW * len(use.counts):
        yield f"{use.dead} of {len(use.counts)} rows never chosen: they do nothing, or are never legal"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"


class ActionTablePane(FilterablePane):
    """Findings and figures on top, below them the rows of the table."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("lut")
    NUMBER = "5"
    SLOT = "charts"
    ID = "lut"
    NAME = "Action table"
    SHORT = "Table"
    EVERY = 0.9
    EMPTY = "How often each row of the action table is chosen appears after the first iteration."
    HELP = (
        "Each row of the action table (lookup table, LUT) is one combination of the controls, counted since the trainer "
        "started. A row never chosen does nothing, is never legal, or has been unlearned. Entropy here is that of all "
        "choices together, ln n nats if n rows are chosen equally often; the charts show the mean of single decisions, "
        "which is lower where a bot is sure each time but chooses differently from place to place. Findings are those of "
        "rltui lut."
    )

    class Examined(Message):
        """The child has answered."""

        def __init__(self, verdict: TableVerdict, of_run: TableVerdict | None) -> None:
            super().__init__()
            self.verdict, self.of_run = verdict, of_run

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.by_use = True
        self.verdict: TableVerdict | None = None  # on what the profile names now
        self.of_run: TableVerdict | None = None  # on the table in the run's checkpoint, where that is another one
        self._asked = ""

    def has_nothing(self, view: View) -> bool:
        return view.snapshot.header is None

    def depends(self, view: View) -> object:
        snapshot = view.snapshot
        self._ask(snapshot)
        return snapshot.table_use, snapshot.metrics_time, self.verdict, self.of_run, self.by_use

    def _ask(self, snapshot: RunSnapshot) -> None:
        """Once for each start of the trainer, and again when its table turns out to be another one."""
        if snapshot.opened is None or not self.is_attached:
            return
        saved = snapshot.checkpoint.path if snapshot.checkpoint is not None else ""
        used = snapshot.table_use.table_hash if snapshot.table_use is not None else ""
        differs = self.verdict is not None and used not in ("", self.verdict.table_hash)
        wanted = f"{snapshot.run} {snapshot.opened.time} {used if differs else ''}"
        if wanted != self._asked:
            self._asked = wanted
            self._examine(snapshot.run, saved if differs else "")

    @work(thread=True, exclusive=True, group="lut", exit_on_error=False)
    def _examine(self, run: str, saved: str) -> None:
        """saved: the checkpoint whose table is wanted too."""
        app = cast(Program, self.app)
        try:
            verdict = app.dependencies.tables.check(app.data.run(run).profile)
            of_run = app.dependencies.tables.check(Path(saved)) if saved else None
        except Exception as error:  # a thread that dies must be seen, whatever killed it
            verdict, of_run = TableVerdict(problem=f"the table could not be examined: {self.in_words(error)}"), None
        self.post_message(self.Examined(verdict, of_run))

    @if_mounted
    def on_action_table_pane_examined(self, message: ActionTablePane.Examined) -> None:
        self.verdict, self.of_run = message.verdict, message.of_run
        if self.view is not None:
            self.show_at_once(self.view)

    def action_sort(self) -> None:
        """By use, or as the table has them."""
        self.check_rows()
        self.by_use = not self.by_use
        self.to_top()
        self.redraw()

    def words(self, view: View) -> str:
        use = view.snapshot.table_use
        if use is None:
            return ""
        order = "most chosen first" if self.by_use else "by row"
        return f"[$muted]{order} · {formatting.short(sum(use.counts))} choices at {formatting.short(use.timesteps)} timesteps[/]"

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        snapshot = view.snapshot
        head = list(self._head(snapshot, width))
        rows = self._rows_of(snapshot, width)
        most = max(height - min(LEAST_ROWS, len(rows)) - 1, 1)
        if len(head) > most:
            head = [*head[: most - 1], ((f"… {len(head) - most + 1} more lines: rltui lut {snapshot.run}", "muted"),)]
        title = self._columns(width) if self._of else ()
        return self.selection([crop(line, width) for line in (*head, title)], rows, width, height)

    @property
    def _matching(self) -> TableVerdict | None:
        """The report that fits the run's rows."""
        used = self.view.snapshot.table_use if self.view is not None else None
        reports = [report for report in (self.verdict, self.of_run) if report is not None and report.words]
        return next((one for one in reports if used is None or one.table_hash == used.table_hash), None)

    def _head(self, snapshot: RunSnapshot, width: int) -> Iterator[Line]:
        """What stands out first: warnings of use, then the static findings, then the figures."""
        used, report = snapshot.table_use, self._matching
        if used is not None:
            controls = report.controls if report is not None else []
            for words in warnings(TableUsage(tuple(used.counts)), controls):
                yield from _finding("warn", words, width)
        yield from self._findings(snapshot, width)
        if used is not None:
            yield from _figures(TableUsage(tuple(used.counts)), report, snapshot, width)
        else:
            yield from wrap(self.EMPTY, width, "muted")

    def _findings(self, snapshot: RunSnapshot, width: int) -> Iterator[Line]:
        verdict, used = self.verdict, snapshot.table_use
        if verdict is None:
            yield (("checking the table …", "muted"),)
            return
        if verdict.problem:
            yield from _finding("warn", verdict.problem, width)
            return
        if used is not None and verdict.table_hash not in (None, used.table_hash):
            words = (
                f"the profile's table has changed: {used.table_hash[:12]} in the run, "
                f"{(verdict.table_hash or '')[:12]} in the file; the next start would refuse or change it"
            )
            yield from _finding("fail", words, width)
        report = self._matching or verdict
        for check in report.checks:
            if check.outcome != "pass":
                yield from _finding(check.outcome, check.sentence, width)
        passed = sum(check.outcome == "pass" for check in report.checks)
        name = report.subject.partition(" of ")[0]  # whose it is, the screen says
        words = f"{_VERDICTS[report.outcome]}: {passed} of {len(report.checks)} checks; {name}"
        yield from _finding(report.outcome, words, width)

    def _columns(self, width: int) -> Line:
        return crop((("  row   share  " + " " * _bar(width) + "   times  controls", "muted"),), width)

    def _rows_of(self, snapshot: RunSnapshot, width: int) -> list[Line]:
        """Those of the table that the filter lets through."""
        used, report = snapshot.table_use, self._matching
        use = TableUsage(tuple(used.counts) if used is not None else ())
        descriptions = report.words if report is not None and len(report.words) == len(use.counts) else None

        def controls(row: int) -> str:
            words = formatting.UNKNOWN if descriptions is None else clean(descriptions[row])
            return words if use.counts[row] else f"{words}  (never)"

        found = self.filtered_rows(use.order(self.by_use), int, lambda row: (str(row), controls(row)))
        most, total = max(use.counts, default=0), use.total
        return [_row_line(row, (use.counts[row], most, total), controls(row), width) for row in found]


def _row_line(row: int, choices: tuple[int, int, int], controls: str, width: int) -> Line:
    """Number, share, bar, count, what it does. choices: of this row, of the one most chosen, of all rows."""
    count, most, total = choices
    role, room = "muted" if not count else "", _bar(width)
    bar = filled_bar(count / most if most else 0.0, room, "series-1") if room else ()
    return crop(
        (
            (f" {row:>4}", "muted"),
            (f"{_share(count, total):>8}  ", role or "strong"),
            *bar,
            (f"{formatting.short(count):>8}  ", "muted"),
            (controls, role),
        ),
        width,
    )


def _bar(width: int) -> int:
    """What a row does is not cut for it."""
    return min(width // 6 - 4, BAR) if width >= WORDS_AND_BAR else 0


def _share(count: int, total: int) -> str:
    return formatting.UNKNOWN if not total else f"{100 * count / total:.2f} %" if count else "0"


def _finding(outcome: str, words: str, width: int) -> list[Line]:
    sign, role = _SIGNS[outcome]
    rows = wrap(words, max(width - 2, 10), role if outcome != "pass" else "")
    return [((f"{sign if not index else ' '} ", role), *row) for index, row in enumerate(rows)]


def _figures(use: TableUsage, report: TableVerdict | None, snapshot: RunSnapshot, width: int) -> Iterator[Line]:
    """Rows used, entropy, both sides of each control, buttons."""
    rows, entropy = len(use.counts), use.entropy
    fair = math.log(rows) if rows else 0.0
    like = formatting.UNKNOWN if entropy is None else f"{math.exp(entropy):.0f}"
    words = f"all choices {formatting.number(entropy)} of {fair:.2f} nats, like {like} rows chosen equally often"
    single = formatting.number(snapshot.metrics.get(metric_keys.ENTROPY))
    words += f"; one decision {single} (mean of the newest update)"
    yield from _fact("rows", f"{rows - use.dead} of {rows} chosen, {use.dead} never", width)
    yield from _fact("entropy", words, width)
    controls = report.controls if report is not None else []
    found = [
        f"{what} {one} {formatting.percent(a)}, {other} {formatting.percent(b)}"
        for what, one, a, other, b in sides(use, controls)
    ]
    buttons = [
        f"{name} {formatting.percent(use.held(controls, column, 1))}"
        for name, column in (("jump", JUMP), ("boost", BOOST), ("handbrake", HANDBRAKE))
        if controls
    ]
    if not controls:
        left, right = (snapshot.metrics.get(f"lut/{side}") for side in ("left", "right"))
        found = [f"newest iteration: turns left {_metric(left)}, right {_metric(right)}"]
    for index, words in enumerate([" · ".join(found), " · ".join(buttons)]):
        if words:
            yield from _fact("sides" if not index else "buttons", words, width)


def _metric(value: float | None) -> str:
    return formatting.percent(None if value is None else value / 100)


def _fact(name: str, words: str, width: int) -> Iterator[Line]:
    for index, row in enumerate(wrap(words, max(width - LABEL, 10))):
        yield ((pad(name if not index else "", LABEL), "muted"), *row)
