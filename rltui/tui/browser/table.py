"""Table of saved states: columns, sorting, filter, marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from textual.content import Content
from textual.message import Message

from rltui import formatting
from rltui.runs.best import reward_with_mark
from rltui.runs.inventory import CheckpointInfo
from rltui.tui.browser.library import HashChecks, Library, RunNode
from rltui.tui.text import Line, Span, clean, crop_middle, pad, wrap
from rltui.tui.widgets.list_view import FilteredList, ListView, Row

Sorted = float | str | None


@dataclass(frozen=True, slots=True)
class CheckpointColumn:
    """key: the digit that sorts by it; empty for one that cannot be sorted by. rank: which gives way first (highest).

    caveat: why its figure does not count, so that it comes behind all that do.
    """

    key: str
    title: str
    width: int
    rank: int
    text: Callable[[CheckpointInfo, float], str]
    order: Callable[[CheckpointInfo], Sorted] = lambda entry: None
    right: bool = True
    role: str = ""
    caveat: Callable[[CheckpointInfo], str] = lambda entry: ""


def _age(entry: CheckpointInfo, now: float) -> str:
    time = _time(entry)
    return formatting.age(now - time if time is not None else None)


def _marks(entry: CheckpointInfo, now: float = 0.0) -> str:
    return ("▲" if entry.mark.pinned else " ") + ("●" if entry.mark.released else " ")


def _time(entry: CheckpointInfo) -> float | None:
    """Unix seconds of saving, or of deleting."""
    return entry.deleted if entry.deleted is not None else entry.meta.time if entry.meta else None


def _kind(entry: CheckpointInfo) -> str:
    """Of what is no saved state, its own name."""
    return entry.label if entry.unrecognised else "milestone" if entry.milestone else "checkpoint"


def elo_text(entry: CheckpointInfo) -> str:
    """As formatting.elo."""
    return formatting.elo(*entry.elo or (None, None))


_PHASE = re.compile(r"Phase(\d+)-.*")
NAME = CheckpointColumn("", "state", 11, 0, lambda entry, now: _kind(entry), right=False, role="strong")
RUN = CheckpointColumn("", "run", 18, 4, lambda entry, now: entry.run, right=False, role="muted")
PHASE = CheckpointColumn("", "phase", 6, 5, lambda entry, now: _PHASE.sub(r"\1", entry.phase_words), role="muted")
COLUMNS = (
    CheckpointColumn("1", "timesteps", 12, 1, lambda entry, now: formatting.count(entry.timesteps), lambda entry: entry.timesteps),
    CheckpointColumn("2", "reward", 9, 2, lambda e, now: reward_with_mark(e.best, e.meta)[0], lambda e: e.meta.mean_reward if e.meta else None, caveat=lambda e: e.caveat or e.damage or ""),
    CheckpointColumn("3", "entropy", 10, 6, lambda e, now: formatting.number(e.meta.entropy if e.meta else None),
           lambda e: e.meta.entropy if e.meta else None),
    CheckpointColumn("4", "KL", 8, 8, lambda e, now: formatting.number(e.meta.approx_kl if e.meta else None),
           lambda e: e.meta.approx_kl if e.meta else None),
    CheckpointColumn("5", "age", 7, 3, _age),  # its order: _age_order
    CheckpointColumn("6", "size", 9, 7, lambda e, now: formatting.size(e.bytes), lambda e: e.bytes),
    CheckpointColumn("7", "Elo", 12, 2, lambda e, now: elo_text(e), lambda e: e.elo[0] if e.elo else None),
    CheckpointColumn("8", "marks", 8, 2, _marks, lambda e: -(2 * e.mark.released + e.mark.pinned), role="warn"),
    CheckpointColumn("9", "note", 10, 5, lambda e, now: f"  {clean(e.damage or e.mark.note)}", lambda e: e.mark.note or None, right=False),
)  # fmt: skip
LONGEST_RUN = 24  # columns
ROOMY = 60  # columns
NARROWEST = 20  # columns that rows are made for before the table has a size
REWARD, AGE, ELO = "2", "5", "7"
NOTE = "9"
SORTABLE = tuple(column.key for column in COLUMNS)
DIGITS, SUPERSCRIPTS = "123456789", "¹²³⁴⁵⁶⁷⁸⁹"  # raised, they are no figures of the column
RAISED, PLAIN = str.maketrans(DIGITS, SUPERSCRIPTS), str.maketrans(SUPERSCRIPTS, DIGITS)


@dataclass(frozen=True, slots=True)
class Sorting:
    """The newest first, at the beginning. descending: largest first."""

    key: str = AGE
    descending: bool = False

    def pressed(self, key: str) -> Sorting:
        """The digit again turns the order round."""
        return Sorting(key, not self.descending) if key == self.key else Sorting(key, key not in (AGE, "8", "9"))


def _age_order(entries: Sequence[CheckpointInfo]) -> Callable[[CheckpointInfo], Sorted]:
    """By time of saving; within a run none comes before one that was saved later, whatever the clock said."""
    times: dict[Path, float] = {}
    newest: dict[str, float] = {}
    for entry in sorted((entry for entry in entries if entry.saved), key=lambda entry: entry.commit or 0):
        if (time := _time(entry)) is not None:
            newest[entry.run] = max(time, newest.get(entry.run, time))
            times[entry.path] = newest[entry.run] + 1e-6 * (entry.commit or 0)
    return lambda entry: None if (time := times.get(entry.path, _time(entry))) is None else -time


def sort(entries: Sequence[CheckpointInfo], sorting: Sorting) -> list[CheckpointInfo]:
    """Figures that do not count behind all that do, and unknown ones last, whatever the order.

    A milestone comes below the checkpoint that it is a copy of: keeping one moves no row above it.
    """
    column = next((column for column in COLUMNS if column.key == sorting.key), None)
    if column is None:
        return list(entries)
    order = column.order if column.key != AGE else _age_order(entries)
    entries = sorted(entries, key=lambda entry: bool(entry.milestone))
    known = [entry for entry in entries if order(entry) is not None]
    known.sort(key=lambda entry: order(entry), reverse=sorting.descending)  # type: ignore[arg-type,return-value]  # none is None
    known.sort(key=lambda entry: bool(column.caveat(entry)))
    return known + [entry for entry in entries if order(entry) is None]


def searched(entry: CheckpointInfo) -> list[str]:
    """What a filter looks through: each word, then all of them in one line."""
    words = [
        entry.run,
        entry.phase,
        entry.path.name,
        entry.label,
        entry.kind,
        formatting.count(entry.timesteps),
    ]
    words += ["pinned"] if entry.mark.pinned else []
    words += ["released"] if entry.mark.released else []
    words += ["damaged"] if entry.damage and not entry.unrecognised else []
    words += filter(None, (entry.mark.note, entry.damage, entry.meta.profile if entry.meta else ""))
    return [*words, " ".join(words)]


def fitting(
    width: int, runs: Collection[str] = (), *, with_phase: bool = True, with_elo: bool = True, by: str = ""
) -> list[CheckpointColumn]:
    """The columns that there is room for, in their order; the note has what is left. runs: those to be told apart; by: the
    digit of the column that the rows are sorted by, which gives way last: an order by what is not shown looks like none.
    """
    longest = min(max(map(len, runs), default=0), LONGEST_RUN)
    columns = [
        NAME,
        *([replace(RUN, width=longest + 2)] if len(runs) > 1 else []),
        *([PHASE] if with_phase else []),
        *(_tight(column, width) for column in COLUMNS if column.key != ELO or with_elo or by == ELO),
    ]
    room = width - 4
    chosen: list[CheckpointColumn] = []
    for column in sorted(columns, key=lambda column: (column is not NAME and (column.key or None) != by, column.rank)):
        if column.width <= room or not chosen:
            chosen.append(column)
            room -= column.width
    return [column for column in columns if column in chosen]


def _tight(column: CheckpointColumn, width: int) -> CheckpointColumn:
    """`1,302±74` in a narrow table, which has no room for blanks."""
    if column.key != ELO or width >= ROOMY:
        return column
    return replace(column, width=10, text=lambda entry, now: elo_text(entry).replace(" ", ""))


def head(columns: Sequence[CheckpointColumn], sorting: Sorting, width: int) -> Line:
    """The titles with their digits; that of the order in force with its direction."""
    spans: list[Span] = [("    ", "")]
    for column, size in _widths(columns, width):
        arrow = ("▼" if sorting.descending else "▲") if column.key and column.key == sorting.key else ""
        text = f"{column.title}{arrow}"
        digit = column.key if column.key in SORTABLE and len(text) < size - 1 else ""
        gap = " " * max(size - len(text) - len(digit), 0)
        label = ((digit.translate(RAISED), "key"), (text, "strong" if arrow else "muted"))
        lead = "  " if column.key == NOTE else ""
        spans += [(gap, ""), *label] if column.right else [(lead, ""), *label, (gap[len(lead) :], "")]
    return tuple(span for span in spans if span[0])


def key_at(head_line: Line, x: int) -> str:
    """The digit of the title at this column of the terminal; empty where there is none."""
    column = 0
    found = ""
    for text, role in head_line:
        column += len(text)
        plain = text.translate(PLAIN)
        found = plain if role == "key" and plain in SORTABLE else "" if not text.strip() else found
        if x < column:
            return found
    return ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a row's looks depend on beside the entry. marked, sound: paths; sound: those whose hashes are right."""

    columns: Sequence[CheckpointColumn]
    marked: Collection[Path]
    sound: Collection[Path]
    now: float


def row(entry: CheckpointInfo, drawing: Drawing, width: int) -> Row:
    """Unrecognised entries and what is deleted are dimmed."""
    mark: Span = ("■" if entry.path in drawing.marked else " ", "key")
    spans: list[Span] = [(" ", ""), mark, _sign(entry, drawing), (" ", "")]
    for column, size in _widths(drawing.columns, width):
        text = column.text(entry, drawing.now)
        text = crop_middle(text, size - 1) if column.title == RUN.title else text
        text = pad(text, size - 1, ">" if column.right else "<")
        role = _role(column, entry) if entry.saved else "faint"
        spans += [(" ", ""), (text, role)] if column.right else [(text, role), (" ", "")]
    return Row(entry.path, tuple(spans))


def _role(column: CheckpointColumn, entry: CheckpointInfo) -> str:
    if column.key == NOTE and entry.damage:
        return "bad"
    return reward_with_mark(entry.best, entry.meta)[1] if column.key == REWARD else column.role


def _sign(entry: CheckpointInfo, drawing: Drawing) -> Span:
    if entry.unrecognised:
        return "!", "warn"
    if entry.deleted is not None:
        return "×", "muted"
    if entry.damage:
        return "✗", "bad"
    return ("✓", "good") if entry.path in drawing.sound else ("○", "faint")


def _widths(columns: Sequence[CheckpointColumn], width: int) -> list[tuple[CheckpointColumn, int]]:
    """The note takes what is left; without it the name."""
    left = max(width - 4 - sum(column.width for column in columns), 0)
    widest = columns[-1] if columns[-1].key == NOTE else NAME
    return [(column, column.width + (left if column is widest else 0)) for column in columns]


def empty_lines(library: Library, *, filtered_out: bool, width: int) -> list[Line]:
    """In the place of the rows."""
    if filtered_out:
        return wrap("Nothing matches the filter; esc clears it.", width, "muted")
    if not library.complete:
        return wrap("reading …", width, "muted")
    what_to_do = "esc goes back." if library.inventories else "esc goes back: enter on a profile there trains it."
    return wrap(f"Nothing is saved here yet. {what_to_do}", width, "muted")


class CheckpointTable(FilteredList):
    """Table of the saved states below a node of the tree; sorting, filter and marks are its own.

    entries: as shown. marked: for the comparison, in the order of marking. sound: those whose hashes are right.
    """

    class Updated(Message):
        """Other rows are shown, or the same ones in another way."""

    def __init__(
        self,
        checks: HashChecks,
        clock: Callable[[], float],
        library: Library,
        node: RunNode,
        start: Path | None,
    ) -> None:
        """start: where the cursor goes once it is there."""
        super().__init__(name="states", classes="pane")
        self._checks, self._clock, self.order = checks, clock, Sorting()
        self._library, self._node = library, node
        self._start: object | None = start
        self._under = 0  # states below the node
        self.entries: list[CheckpointInfo] = []
        self.marked: list[Path] = []
        self.sound: set[Path] = set()

    @property
    def entry(self) -> CheckpointInfo | None:
        """What the cursor stands on."""
        return next((entry for entry in self.entries if entry.path == self.key), None)

    def show(self, library: Library, node: RunNode) -> None:
        """What lies under the node and matches the filter; marks of what is there no more go."""
        if node != self._node:
            self.first, self.cursor, self.rows = 0, 0, []
        self._library, self._node = library, node
        there = {entry.path for entry in library.entries}
        self.marked = [path for path in self.marked if path in there or not library.complete]
        self.update_rows()

    def update_rows(self) -> None:
        """The same, with what is known now of each."""
        width, order = max(self.size.width, NARROWEST), self.order
        entries = self._verified()
        self.entries = sort([entry for entry in entries if self.pattern.matches(*searched(entry))], order)
        self._under = len(entries)
        runs = {entry.run for entry in entries if entry.run}
        with_phase, with_elo = self._node.kind in ("all", "run", "trash"), any(entry.elo for entry in entries)
        columns = fitting(width, runs, with_phase=with_phase, with_elo=with_elo, by=order.key)
        drawing = Drawing(columns, set(self.marked), self.sound, self._clock())
        rows = [row(entry, drawing, width) for entry in self.entries]
        start = self._start if any(row.key == self._start for row in rows) else None
        self._start = None if start is not None or self._library.complete else self._start
        empty = empty_lines(self._library, filtered_out=bool(entries), width=width)
        self.set_rows(rows, start, head(columns, order, width), empty)
        left = f"{formatting.count(len(self.entries))} of " if self.pattern.text else ""
        self.border_title = Content(f"{clean(self._node.words)}  {left}{formatting.count(len(entries))}")
        self.post_message(self.Updated())

    def _verified(self) -> list[CheckpointInfo]:
        """All below the node, with what their hashes say, where they have been compared: a damaged one is used for nothing."""
        entries = self._library.under(self._node)
        results = {entry.path: self._checks.result(entry.path) for entry in entries if entry.usable}
        self.sound = {path for path, reason in results.items() if reason == ""}
        return [replace(e, damage=why, best=None) if (why := results.get(e.path)) else e for e in entries]

    def fill(self, goes: object = None) -> None:
        self._start = goes or self._start
        self.update_rows()

    def matching(self) -> tuple[Sequence[object], int]:
        return [entry.path for entry in self.entries], self._under

    def sort_by(self, key: str) -> None:
        """By the column with this digit; again turns the order round."""
        self.order = self.order.pressed(key)
        self.update_rows()

    def on_list_view_head_clicked(self, message: ListView.HeadClicked) -> None:
        if key := key_at(self.head or (), message.x):
            self.sort_by(key)

    def mark(self) -> bool:
        """The state under the cursor for the comparison; again takes the mark away. False where it cannot be compared."""
        if (entry := self.entry) is None or entry.meta is None:
            return False
        others = [path for path in self.marked if path != entry.path]
        self.marked = others if len(others) < len(self.marked) else [*others, entry.path]
        self.update_rows()
        return True
