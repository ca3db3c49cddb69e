"""LogList: the log's entries that are wanted, and those among them that a search finds. Grows with the log; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rltui.events.records import Level
from rltui.tui.log.entries import LEVELS, LogEntry
from rltui.tui.pattern import Pattern

SEARCHED = 2000  # characters of an entry


@dataclass(frozen=True, slots=True)
class Wanted:
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
        return self.search.matches(entry.message[:SEARCHED], entry.source)


class LogList:
    """Entries are known by their number: how many came before them since the run began."""

    def __init__(self) -> None:
        self.wanted = Wanted()
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
    def kept(self) -> int:
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

    def choose(self, wanted: Wanted) -> None:
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
