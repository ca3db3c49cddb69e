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
    """What is shown."""

    level: Level = "info"
    pattern: Pattern = field(default_factory=Pattern)

    def takes(self, entry: LogEntry) -> bool:
        """Whether the entry is shown."""
        texts = (*entry.message[:SEARCHED].split("\n"), entry.source, entry.flag) if self.pattern.text else ()
        return LEVELS.index(entry.level) >= LEVELS.index(self.level) and self.pattern.matches(*texts)


class LogList:
    """Entries that the filter takes, each by its number: how many came before it since the run began."""

    def __init__(self) -> None:
        self.wanted = LogFilter()
        self.numbers: list[int] = []
        self.entries: list[LogEntry] = []
        self.total = 0  # of the log
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

    def _start(self) -> None:
        self.numbers, self.entries = [], []
        self._add(range(self.total - len(self._log), self.total), self._log)

    def _add(self, numbers: Iterable[int], entries: Sequence[LogEntry]) -> None:
        for number, entry in zip(numbers, entries, strict=True):
            if self.wanted.takes(entry):
                self.numbers.append(number)
                self.entries.append(entry)

    def _forget(self, before: int) -> None:
        gone = self.index(before)
        del self.numbers[:gone], self.entries[:gone]


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

    def stand_near(self, number: int | None) -> None:
        """On the entry of this number, or the next that is shown; None: it follows."""
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


def folded_lines(entry: LogEntry, width: int, pattern: Pattern | None = None) -> list[Line]:
    """As the log shows it: a long one ends with how much more there is."""
    lines = entry_lines(entry, width)
    if len(lines) > FOLDED:
        more = f"… {len(lines) - FOLDED + 1} more lines: enter opens it"
        lines = [*lines[: FOLDED - 1], ((" " * (INDENT if width - INDENT >= NARROWEST else 0), ""), (more, "muted"))]
    if pattern is None or not pattern.text:
        return lines
    head = 2 if entry.time else 0  # time and sign are not searched
    return [(*lines[0][:head], *marked(lines[0][head:], pattern)), *(marked(line, pattern) for line in lines[1:])]


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


def marked(line: Line, pattern: Pattern) -> Line:
    """The line with what the filter finds in each of its spans on a background."""
    spans: list[Span] = []
    for text, role in line:
        at = 0
        for start, end in pattern.places(text):
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
