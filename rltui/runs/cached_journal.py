"""CachedJournal: a run's journal for whoever wants all of it at once, fast however long it is."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rltui.events.records import Record, RunStarted
from rltui.runs.journal import JournalTail, read_end, read_start, rotated_parts
from rltui.runs.thinned import IterationRows, Thinned
from rltui.runs.thinned_file import cache_path, read_thinned, write_thinned

WORTH = 2 << 20  # bytes of journal; less is read again sooner than kept
LONG = 8 << 20  # bytes; more take so long to read that the end is wanted first
END = 4 << 20  # bytes of it


@dataclass(slots=True)
class _Part:
    number: int  # 0: the current one
    path: Path
    read_parts: int  # for a JournalTail that is to read this part and no other
    thinned: Thinned


class CachedJournal:
    """As JournalTail, but what is there at the first `poll` comes thinned, and is kept so for the next time, where it may be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tail: JournalTail | None = None
        self._parts: list[_Part] = []  # not given yet

    def newest(self) -> list[Record]:
        """The header and the end of a journal that takes a while to read; empty where `poll` gives all of it soon."""
        self._parts = self._kept()
        left = sum(_size(part.path) - part.thinned.covers for part in self._parts)
        if left < LONG:
            return []
        header = next((record for record in read_start(self._path) if isinstance(record, RunStarted)), None)
        return [*([header] if header else []), *read_end(self._path, END)]

    def poll(self) -> list[Record | IterationRows]:
        """What has come since the last call, in order; where it returned any, ask again at once."""
        if self._tail is None:
            self._tail = self._read_all()
        while self._parts:
            if items := list(self._parts.pop(0).thinned.items()):  # one part at a time, so that not all is there twice
                return items
        return list(self._tail.poll())

    def _read_all(self) -> JournalTail:
        """Thin all parts; returns what follows the journal from there. Whoever rotates it meanwhile makes it start over."""
        self._parts = self._parts or self._kept()
        for part in self._parts:
            _complete(part)
        last = self._parts[-1]
        if [number for number, _ in rotated_parts(self._path)] != [part.number for part in self._parts[:-1]]:
            self._parts = []
            return self._read_all()
        seen: Counter[int] = Counter()
        for part in reversed(self._parts):
            part.thinned.thin(seen)
        return JournalTail(self._path, last.read_parts, last.thinned.covers)

    def _kept(self) -> list[_Part]:
        """Every part with what is kept of it; the current one comes last."""
        rotated = rotated_parts(self._path)
        last = rotated[-1][0] if rotated else 0
        parts = [(number, path, 0) for number, path in rotated] + [(0, self._path, last)]
        current = cache_path(self._path)  # what is kept of the current part serves when it has been rotated too
        return [_Part(*part, read_thinned(part[1]) or read_thinned(part[1], current) or Thinned()) for part in parts]


def _complete(part: _Part) -> None:
    """Thin what has been added to the part, and keep that if it was much."""
    before = part.thinned.covers
    tail = JournalTail(part.path, part.read_parts, before)
    while records := tail.poll():
        for record in records:
            part.thinned.take(record)
    if tail.read_parts != part.read_parts:
        return  # rotated in the midst of it: these are records of two parts, and whoever asked starts over
    part.thinned.covers = tail.offset
    if part.thinned.covers - before >= WORTH:
        part.thinned.thin(Counter())
        with contextlib.suppress(OSError):
            write_thinned(part.path, part.thinned)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
