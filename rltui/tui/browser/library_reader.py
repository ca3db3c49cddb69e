"""Reads what the browser lists, run by run; looks again only at runs in which something has changed."""

from __future__ import annotations

from collections.abc import Iterator

from rltui.runs import inventory
from rltui.runs.inventory import Shelf, foreign, look, read_shelf
from rltui.runs.journal_reader import look_paused
from rltui.runs.lock import holder
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.trash import list_trash
from rltui.tui.browser.library import Entry, Library, shelf_entries, stray_entry, trash_entry

Stamp = tuple[object, ...]
FIRST = 60  # entries read before the first look at a library that is not complete yet
GROWTH = 8  # times as many before the next: a look costs as much as reading a few dozen


class LibraryReader:
    """Not for two threads at once."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._known: dict[str, tuple[Stamp, Shelf, tuple[Entry, ...]]] = {}

    def read(self) -> Iterator[Library]:
        """The library as it grows, the last one complete. Never raises for what is on disk."""
        names = self._data.run_names()
        self._known = {name: known for name, known in self._known.items() if name in names}
        read, wanted = 0, FIRST
        for name in names:
            read += self._look(self._data.run(name))
            if read >= wanted:
                yield self._library([known for known in names if known in self._known])
                wanted *= GROWTH
        yield self._library(names, complete=True)

    def _look(self, paths: RunPaths) -> int:
        """How many entries had to be read."""
        stamp = _stamp(paths)
        known = self._known.get(paths.name)
        if known is not None and known[0] == stamp:
            return 0
        shelf = read_shelf(paths)
        self._known[paths.name] = stamp, shelf, tuple(shelf_entries(shelf))
        return len(self._known[paths.name][2])

    def _library(self, names: list[str], *, complete: bool = False) -> Library:
        found = [self._known[name] for name in names]
        entries = [entry for _, _, each in found for entry in each]
        if complete:
            entries += [stray_entry(stray) for stray in foreign(self._data)]
            entries += [trash_entry(trashed, look(trashed.folder)) for trashed in list_trash(self._data)]
        shelves = sorted((shelf for _, shelf, _ in found), key=_newest, reverse=True)
        return Library(self._data.root, tuple(shelves), tuple(entries), complete, inventory.free_bytes(self._data.root))


def _newest(shelf: Shelf) -> tuple[bool, float]:
    times = [info.meta.time for info in (*shelf.milestones, *shelf.checkpoints) if info.meta is not None]
    return shelf.trainer is not None, max(times, default=0.0)


def _stamp(paths: RunPaths) -> Stamp:
    """Differs once anything was added, removed, renamed or marked, another trainer is there, or it is paused."""
    places = [paths.checkpoints, paths.milestones, *inventory.entries(paths.milestones), paths.milestones_json]
    trainer = holder(paths)
    return trainer is not None, look_paused(paths, trainer), *(inventory.stamp(place) for place in places)
