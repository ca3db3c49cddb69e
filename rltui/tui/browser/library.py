"""Rows of the browser: saved states and what else lies in the data folder, and the reader of all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from textual.message import Message

from rltui import formatting
from rltui.runs.best import Best, best_of, is_best, reward_caveat
from rltui.runs.inventory import (
    NO_MARK,
    CheckpointInfo,
    Inventory,
    MilestoneMark,
    UnrecognisedEntry,
    file_stamp,
    folder_entries,
    free_bytes,
    read_checkpoint_info,
    read_inventory,
    unrecognised_among_runs,
)
from rltui.runs.journal_reader import read_paused_since
from rltui.runs.lock import lock_holder
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.trash import Trashed, list_trash

Kind = Literal["milestone", "checkpoint", "unrecognised", "deleted"]
NodeKind = Literal["all", "run", "phase", "checkpoints", "unrecognised", "trash"]


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One row of the table. reason: why it is damaged or unrecognised. run: empty for what belongs to none.

    best: as which it is the best of its run by reward. protected: a checkpoint that is not pruned, for it is the best.
    """

    kind: Kind
    run: str
    path: Path
    info: CheckpointInfo | None = None
    reason: str = ""
    trashed: Trashed | None = None
    best: Best | None = None
    protected: bool = False

    @property
    def mark(self) -> MilestoneMark:
        if self.trashed is not None:
            return self.trashed.mark
        return self.info.mark if self.info else NO_MARK

    @property
    def meta(self) -> Meta | None:
        return self.info.meta if self.info else None

    @property
    def state(self) -> CheckpointInfo | None:
        """What training can go on from; None for an unrecognised entry and for what is in the trash."""
        return self.info if self.kind in ("milestone", "checkpoint") else None

    @property
    def caveat(self) -> str:
        """Why its reward does not count; empty where it does."""
        return reward_caveat(self.meta) if self.meta else ""

    @property
    def bytes(self) -> int | None:
        """On disk; None where unknown."""
        return self.info.bytes if self.info else None

    @property
    def timesteps(self) -> int | None:
        """None where even the name does not say."""
        if self.info is None or (self.kind == "unrecognised" and self.info.meta is None):
            return self.trashed.timesteps if self.trashed else None
        return self.info.timesteps

    @property
    def phase(self) -> str:
        """The phase's folder of a milestone, else empty."""
        milestone = self.trashed.milestone if self.trashed else self.info.milestone if self.info else ""
        return milestone.partition("/")[0]

    @property
    def name(self) -> str:
        """As lists show it: `5 M`, `checkpoint`, or an unrecognised entry's own name."""
        if self.kind == "unrecognised":
            return self.path.name
        return formatting.millions(self.path.name) if self.phase else "checkpoint"

    @property
    def words(self) -> str:
        """In a sentence: `milestone 5 M of alpha`, `checkpoint 250,000 of alpha`."""
        if self.kind == "unrecognised":
            return f"stray entry {self.path.name}" + (f" of {self.run}" if self.run else "")
        which = formatting.millions(self.path.name) if self.phase else formatting.count(self.timesteps)
        return f"{'milestone' if self.phase else 'checkpoint'} {which} of {self.run}"

    @property
    def usable(self) -> bool:
        """As far as is known without its hashes."""
        return self.kind in ("milestone", "checkpoint") and not self.reason


NAMES: Mapping[NodeKind, str] = {"all": "Everything", "unrecognised": "Stray entries", "trash": "Trash"}


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

    def holds(self, entry: CheckpointRow) -> bool:
        """Whether the entry lies under this node."""
        if self.kind == "trash" or entry.kind == "deleted":
            return self.kind == "trash" and entry.kind == "deleted"
        if self.kind == "all":
            return True
        if self.kind == "unrecognised":
            return entry.kind == "unrecognised" and not entry.run
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
    entries: tuple[CheckpointRow, ...] = ()
    complete: bool = False
    free_bytes: int | None = None

    def inventory(self, run: str) -> Inventory | None:
        return next((inventory for inventory in self.inventories if inventory.run == run), None)

    def entry(self, path: Path) -> CheckpointRow | None:
        return next((entry for entry in self.entries if entry.path == path), None)

    def under(self, node: RunNode) -> list[CheckpointRow]:
        return [entry for entry in self.entries if node.holds(entry)]

    def children(self, run: str) -> list[str]:
        """The runs that were branched or forked from it."""
        return [inventory.run for inventory in self.inventories if parent_run(inventory) == run]


def parent_run(inventory: Inventory) -> str:
    """The run it was branched or forked from; empty where there is none."""
    return (inventory.parent or "").rpartition("@")[0]


def checkpoint_rows(inventory: Inventory) -> list[CheckpointRow]:
    """Milestones and checkpoints, newest first, then unrecognised entries."""
    found, protected = best_of(inventory.metas), inventory.protected
    states = [
        CheckpointRow(
            "milestone" if info.milestone else "checkpoint", inventory.run, info.path, info,
            info.damage or "", best=is_best(found, info.meta) if info.damage is None else None,
            protected=not info.milestone and info.damage is None and info.commit in protected,
        )
        for info in (*reversed(inventory.milestones), *reversed(inventory.checkpoints))
    ]  # fmt: skip
    return states + [unrecognised_row(entry, inventory.run) for entry in inventory.unrecognised]


def unrecognised_row(entry: UnrecognisedEntry, run: str = "") -> CheckpointRow:
    return CheckpointRow("unrecognised", run, entry.path, entry.info, reason=entry.reason)


def deleted_row(trashed: Trashed, info: CheckpointInfo) -> CheckpointRow:
    return CheckpointRow("deleted", trashed.run, trashed.folder, info, trashed=trashed)


Stamp = tuple[object, ...]
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
        self._known: dict[str, tuple[Stamp, Inventory, tuple[CheckpointRow, ...]]] = {}

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
        inventory = read_inventory(paths)
        self._known[paths.name] = stamp, inventory, tuple(checkpoint_rows(inventory))
        return len(self._known[paths.name][2])

    def _library(self, names: list[str], *, complete: bool = False) -> Library:
        found = [self._known[name] for name in names]
        entries = [entry for _, _, each in found for entry in each]
        if complete:
            entries += [unrecognised_row(entry) for entry in unrecognised_among_runs(self._data)]
            entries += [
                deleted_row(trashed, read_checkpoint_info(trashed.folder)) for trashed in list_trash(self._data)
            ]
        inventories = sorted((inventory for _, inventory, _ in found), key=_newest, reverse=True)
        return Library(self._data.root, tuple(inventories), tuple(entries), complete, free_bytes(self._data.root))


def _newest(inventory: Inventory) -> tuple[bool, float]:
    times = [info.meta.time for info in (*inventory.milestones, *inventory.checkpoints) if info.meta is not None]
    return inventory.trainer is not None, max(times, default=0.0)


def _stamp(paths: RunPaths) -> Stamp:
    """Differs once anything was added, removed, renamed or marked, another trainer is there, or it is paused."""
    places = [paths.checkpoints, paths.milestones, *folder_entries(paths.milestones), paths.milestones_json]
    trainer = lock_holder(paths)
    return trainer is not None, read_paused_since(paths, trainer), *(file_stamp(place) for place in places)
