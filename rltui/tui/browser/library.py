"""All inventories of the data folder, what the browser's tree chooses from them, their reader, and results of comparing hashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from textual.message import Message

from rltui.runs.checkpoint import MANIFEST, damage
from rltui.runs.inventory import (
    CheckpointInfo,
    Inventory,
    file_stamp,
    free_bytes,
    read_inventory,
    run_stamp,
    unrecognised_among_runs,
)
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.trash import list_trash
from rltui.tui.league_reader import Elo, StateRatings

NodeKind = Literal["all", "run", "phase", "checkpoints", "unrecognised", "trash"]
NAMES: Mapping[NodeKind, str] = {"all": "Everything", "unrecognised": "Unrecognised", "trash": "Trash"}


@dataclass(frozen=True, slots=True)
class RunNode:
    """A row of the tree: which entries the table shows."""

    kind: NodeKind
    run: str = ""
    phase: str = ""

    @property
    def words(self) -> str:
        """As the table's title names it."""
        if self.kind in NAMES:
            return NAMES[self.kind]
        part = self.phase or ("checkpoints" if self.kind == "checkpoints" else "")
        return " · ".join(word for word in (self.run, part) if word)

    def holds(self, entry: CheckpointInfo) -> bool:
        """Whether the entry lies under this node."""
        if self.kind == "trash" or entry.deleted is not None:
            return self.kind == "trash" and entry.deleted is not None
        if self.kind == "all":
            return True
        if self.kind == "unrecognised":
            return entry.unrecognised and not entry.run
        if entry.run != self.run:
            return False
        return self.kind == "run" or (
            entry.kind == "checkpoint" if self.kind == "checkpoints" else entry.phase == self.phase
        )


ALL, UNRECOGNISED, TRASH = RunNode("all"), RunNode("unrecognised"), RunNode("trash")


@dataclass(frozen=True, slots=True)
class Library:
    """What the data folder holds. complete: all runs have been read. free_bytes: on the data folder's disk."""

    root: Path
    inventories: tuple[Inventory, ...] = ()
    entries: tuple[CheckpointInfo, ...] = ()
    complete: bool = False
    free_bytes: int | None = None

    def inventory(self, run: str) -> Inventory | None:
        return next((inventory for inventory in self.inventories if inventory.run == run), None)

    def entry(self, path: Path) -> CheckpointInfo | None:
        return next((entry for entry in self.entries if entry.path == path), None)

    def under(self, node: RunNode) -> list[CheckpointInfo]:
        return [entry for entry in self.entries if node.holds(entry)]

    def children(self, run: str) -> list[str]:
        """The runs that were branched or forked from it."""
        return [inventory.run for inventory in self.inventories if parent_run(inventory) == run]


def parent_run(inventory: Inventory) -> str:
    """The run it was branched or forked from; empty where there is none."""
    return (inventory.parent or "").rpartition("@")[0]


FIRST = 60  # entries read before the first look at a library that is not complete yet
GROWTH = 8  # times as many before the next: a look costs as much as reading a few dozen


class LibraryReady(Message):
    """More of the disk has been read."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library


class LibraryReader:
    """Reader of the data folder, with a cache of what has not changed. Not for two threads at once."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._known: dict[str, tuple[object, Inventory]] = {}  # with its run's stamp
        self._ratings = StateRatings(data)
        self._elo: Mapping[tuple[str, int], Elo] = {}

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
        self._elo = self._ratings.look()
        yield self._library(names, complete=True)

    def _look(self, paths: RunPaths) -> int:
        """How many entries had to be read."""
        stamp = run_stamp(paths)
        known = self._known.get(paths.name)
        if known is not None and known[0] == stamp:
            return 0
        inventory = read_inventory(paths)
        self._known[paths.name] = stamp, inventory
        return len(inventory.entries)

    def _library(self, names: list[str], *, complete: bool = False) -> Library:
        found = [self._known[name][1] for name in names]
        entries = [self._rated(entry) for inventory in found for entry in inventory.entries]
        if complete:
            entries += unrecognised_among_runs(self._data)
            entries += [trashed.info for trashed in list_trash(self._data)]
        inventories = sorted(found, key=_newest, reverse=True)
        return Library(self._data.root, tuple(inventories), tuple(entries), complete, free_bytes(self._data.root))

    def _rated(self, entry: CheckpointInfo) -> CheckpointInfo:
        elo = self._elo.get((entry.run, -1 if entry.timesteps is None else entry.timesteps))
        return replace(entry, elo=elo) if elo is not None and entry.saved else entry


def _newest(inventory: Inventory) -> tuple[bool, int, float]:
    """What trains, then what was started last; of runs older than the numbers of starts, by time of saving."""
    times = [info.meta.time for info in inventory.states if info.meta is not None]
    return inventory.trainer is not None, inventory.start, max(times, default=0.0)


class HashChecks:
    """Results of reading saved states to their last byte. That of one that has changed since does not count."""

    def __init__(self) -> None:
        self._found: dict[Path, tuple[object, str]] = {}

    def check(self, path: Path) -> None:
        """In a thread. Of what is pruned meanwhile nothing is remembered."""
        stamp, reason = _stamp(path), damage(path, thorough=True)
        if path.is_dir():
            self._found[path] = stamp, reason or ""

    def result(self, path: Path) -> str | None:
        """Why it is damaged, empty where every byte is right; None where it has not been read."""
        stamp, reason = self._found.get(path, (None, None))
        return reason if stamp == _stamp(path) else None


def _stamp(path: Path) -> object:
    return file_stamp(path / MANIFEST), file_stamp(path)
