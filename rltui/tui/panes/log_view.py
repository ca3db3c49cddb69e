"""The log pane's filter, its list of entries, the window onto it, and entries as lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rltui import formatting
from rltui.events.records import Level
from rltui.run_state.log_entries import LEVELS, LogEntry
from rltui.tui.text import Line, Span, clean, pad, wrap
from rltui.tui.widgets.filter_bar import Pattern

SEARCHED = 2000  # characters of an entry
SOURCE = 10  # columns
INDENT = 8 + 1 + 2 + SOURCE + 1
NARROWEST = 20  # columns for the message; in less room it has a line of its own without time and source
FOLDED = 4  # lines of an entry; more are opened
_OPENED_ROLES: dict[Level, str] = {"warning": "warn", "error": "bad"}
_SIGNS: dict[Level, tuple[str, str]] = {
    "debug": (" ", "faint"), "info": (" ", ""), "warning": ("!", "warn"), "error": ("✗", "bad"),
}  # fmt: skip

Drawn = list[tuple[int, list[Line]]]  # place in the list, its lines in view


@dataclass(frozen=True, slots=True)
class LogFilter:
    """What is shown. worker None and flag "": all of them. only_hits: nothing but what `search` finds."""

    level: Level = "info"
    worker: int | None = None
    flag: str = ""
    search: Pattern = field(default_factory=Pattern)
    only_hits: bool = False

    @property
    def narrowed(self) -> bool:
        """Whether anything but the level leaves lines out, or is being looked for."""
        return self.worker is not None or bool(self.flag) or bool(self.search.text)

    def takes(self, entry: LogEntry) -> bool:
        """Whether the entry is shown, hits aside."""
        if LEVELS.index(entry.level) < LEVELS.index(self.level):
            return False
        return (self.worker is None or entry.worker == self.worker) and (not self.flag or entry.flag == self.flag)

    def finds(self, entry: LogEntry) -> bool:
        """Whether a search is on and this is one of its hits."""
        if not self.search.text.strip("!") or self.search.problem:
            return False
        return self.search.matches(entry.message[:SEARCHED], entry.source, entry.flag)


class LogList:
    """Entries that the filter takes, each by its number: how many came before it since the run began."""

    def __init__(self) -> None:
        self.wanted = LogFilter()
        self.numbers: list[int] = []
        self.entries: list[LogEntry] = []
        self.hits: list[int] = []  # numbers
        self.total = 0  # of the log
        self.workers: set[int] = set()  # that anything was heard of
        self.flags: set[str] = set()
        self._log: Sequence[LogEntry] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def held(self) -> int:
        """Entries of the log, listed or not."""
        return len(self._log)

    def update(self, log: Sequence[LogEntry], total: int) -> None:
        """The newest log, and how many entries there ever were. Looks at the new ones only, where it can."""
        new = total - self.total
        follows = 0 <= new < len(log) and bool(self._log) and log[-1 - new] == self._log[-1]
        self._log, self.total = log, total
        if follows:
            self._add(range(total - new, total), log[len(log) - new :])
            self._forget(total - len(log))
        else:
            self._start()

    def choose(self, wanted: LogFilter) -> None:
        """Show something else."""
        self.wanted = wanted
        self._start()

    def index(self, number: int) -> int:
        """The place of the first shown entry of this number or later; len(self) where there is none."""
        return bisect_left(self.numbers, number)

    def at(self, time: float) -> int:
        """The place of the first shown entry of that time (Unix seconds) or later; of the last where all are earlier."""
        places = (place for place, entry in enumerate(self.entries) if entry.time >= time)
        return next(places, max(len(self) - 1, 0))

    def hit(self, number: int, step: int) -> int | None:
        """The next (1) or earlier (-1) hit seen from there, around the ends; None where there is none."""
        if not self.hits:
            return None
        place = bisect_left(self.hits, number + (step > 0)) - (step < 0)
        return self.hits[place % len(self.hits)]

    def _start(self) -> None:
        self.numbers, self.entries, self.hits = [], [], []
        self.workers, self.flags = set(), set()
        self._add(range(self.total - len(self._log), self.total), self._log)

    def _add(self, numbers: Iterable[int], entries: Sequence[LogEntry]) -> None:
        for number, entry in zip(numbers, entries, strict=True):
            if entry.worker is not None:
                self.workers.add(entry.worker)
            if entry.flag:
                self.flags.add(entry.flag)
            if not self.wanted.takes(entry):
                continue
            found = self.wanted.finds(entry)
            if found:
                self.hits.append(number)
            if found or not (self.wanted.only_hits and self.wanted.search.text):
                self.numbers.append(number)
                self.entries.append(entry)

    def _forget(self, before: int) -> None:
        gone = self.index(before)
        del self.numbers[:gone], self.entries[:gone], self.hits[: bisect_left(self.hits, before)]


class LogWindow:
    """The part of the list in view. cursor: the number of the entry that it stands on; None while it follows the end.

    Only entries in view are ever laid out, so that a long log costs no more than a short one.
    """

    def __init__(self, entries: LogList) -> None:
        self._list = entries
        self.cursor: int | None = None
        self.unseen = 0  # entries that came since it stopped following
        self._newest = -1  # number of the last entry when it stopped
        self._top = 0  # number of the first entry in view, while it does not follow
        self._drawn: Drawn = []

    @property
    def place(self) -> int:
        """Of the entry under the cursor, or of the last one while it follows."""
        last = max(len(self._list) - 1, 0)
        return last if self.cursor is None else min(self._list.index(self.cursor), last)

    @property
    def number(self) -> int:
        """Of the entry under the cursor; beyond all while it follows."""
        return self._list.total if self.cursor is None else self.cursor

    def move(self, entries: int) -> None:
        """Up (negative) or down; at the end it follows."""
        place = self.place + entries
        if place >= len(self._list) - 1 and entries > 0:
            self.cursor, self.unseen = None, 0
        else:
            self.stand(max(place, 0))

    def stand(self, place: int) -> None:
        """Put the cursor on that entry, and stay there."""
        if not len(self._list):
            return
        if self.cursor is None:
            self._newest, self.unseen = self._list.numbers[-1], 0
            first = self._drawn[0][0] if self._drawn else len(self._list)
            self._top = self._list.numbers[first] if first < len(self._list) else 0
        self.cursor = self._list.numbers[min(place, len(self._list) - 1)]

    def stand_near(self, number: int) -> None:
        """After another choice of entries: on the same one, or the next that is shown."""
        if self.cursor is not None:
            self.cursor = number
        self.catch_up()

    def go_back(self, number: int | None) -> None:
        """To where the cursor was; None: it follows."""
        self.cursor = number
        self.catch_up()

    def catch_up(self) -> None:
        """After the list has grown: count what is new below."""
        if self.cursor is not None:
            self.unseen = len(self._list) - self._list.index(self._newest + 1)

    def view(self, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        """The entries in view with their lines, `height` in all at most; none where nothing is shown."""
        if self.cursor is None or not len(self._list):
            self._drawn = self._upward(len(self._list) - 1, height, lines_of)
            return self._drawn
        top, place = min(self._list.index(self._top), self.place), self.place
        drawn = self._downward(top, height, lines_of)
        if not drawn or drawn[-1][0] < place or (drawn[-1][0] == place and self._is_cut(drawn[-1], lines_of)):
            drawn = self._upward(place, height, lines_of)
        if drawn and sum(len(lines) for _, lines in drawn) < height:
            drawn = self._upward(len(self._list) - 1, height, lines_of)
        self._top = self._list.numbers[drawn[0][0]] if drawn else 0
        self._drawn = drawn
        return drawn

    def place_at(self, row: int) -> int | None:
        """The entry of which a line is in that row of the view."""
        for place, lines in self._drawn:
            row -= len(lines)
            if row < 0:
                return place
        return None

    def _upward(self, last: int, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        """From the entry at the bottom, which is whole; the one at the top may lack its first lines."""
        drawn: Drawn = []
        room = height
        for place in range(last, -1, -1):
            lines = lines_of(self._list.entries[place])[-room:]
            drawn.append((place, lines))
            room -= len(lines)
            if room <= 0:
                break
        return drawn[::-1]

    def _downward(self, first: int, height: int, lines_of: Callable[[LogEntry], list[Line]]) -> Drawn:
        drawn: Drawn = []
        room = height
        for place in range(first, len(self._list)):
            if room <= 0:
                break
            lines = lines_of(self._list.entries[place])[:room]
            drawn.append((place, lines))
            room -= len(lines)
        return drawn

    def _is_cut(self, drawn: tuple[int, list[Line]], lines_of: Callable[[LogEntry], list[Line]]) -> bool:
        return len(drawn[1]) < len(lines_of(self._list.entries[drawn[0]]))


def folded_lines(entry: LogEntry, width: int, search: Pattern | None = None) -> list[Line]:
    """As the log shows it: a long one ends with how much more there is."""
    lines = entry_lines(entry, width)
    if len(lines) > FOLDED:
        more = f"… {len(lines) - FOLDED + 1} more lines: enter opens it"
        lines = [*lines[: FOLDED - 1], ((" " * (INDENT if width - INDENT >= NARROWEST else 0), ""), (more, "muted"))]
    if search is None or not search.text:
        return lines
    head = 2 if entry.time else 0  # time and sign are not searched
    return [(*lines[0][:head], *marked(lines[0][head:], search)), *(marked(line, search) for line in lines[1:])]


def entry_lines(entry: LogEntry, width: int) -> list[Line]:
    """All of it. An entry without a time is a line of the trainer's own output."""
    sign, role = _SIGNS[entry.level]
    if not entry.time:
        return wrap(entry.message, width, "muted")
    head: Line = (
        (f"{formatting.clock(entry.time)} ", "faint"),
        (f"{sign} ", role),
        (pad(clean(entry.source), SOURCE) + " ", "muted"),
    )
    if width - INDENT < NARROWEST:
        return [(*head[:2], (clean(entry.message.split("\n")[0]), role))]
    rows = wrap(entry.message, width - INDENT, role)
    return [(*head, *rows[0]), *(((" " * INDENT, ""), *row) for row in rows[1:])]


def marked(line: Line, search: Pattern) -> Line:
    """The line with what the search finds in each of its spans on a background."""
    spans: list[Span] = []
    for text, role in line:
        at = 0
        for start, end in search.places(text):
            if end > start:
                spans += [(text[at:start], role), (text[start:end], f"{role} hit".strip())]
                at = end
        spans.append((text[at:], role))
    return tuple(span for span in spans if span[0])


def opened_lines(entry: LogEntry, width: int) -> list[Line]:
    """A whole entry, its line breaks kept; a trace's first line stands out."""
    first, _, rest = entry.message.partition("\n")
    lines = [*wrap(first, width, _OPENED_ROLES.get(entry.level, "")), *(wrap(rest, width) if rest else [])]
    return [*wrap(_about(entry), width, "muted"), (), *lines]


def _about(entry: LogEntry) -> str:
    when = f"{formatting.date(entry.time)}:{formatting.clock(entry.time)[-2:]}" if entry.time else "no time"
    parts = [when, entry.level, entry.flag]
    return " · ".join(part for part in parts if part)
