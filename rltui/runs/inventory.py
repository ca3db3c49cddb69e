"""Inventory of what a run has saved: checkpoints, milestones with their marks, and entries that are neither."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs import meta
from rltui.runs.atomic import TEMPORARY, make_folder, replace_file
from rltui.runs.best import protected
from rltui.runs.checkpoint import MANIFEST, DamagedError, survey
from rltui.runs.journal_reader import read_paused_since
from rltui.runs.lock import Holder, lock_holder
from rltui.runs.meta import Meta
from rltui.runs.paths import MILESTONES, DataDir, RunPaths, folders, is_folder, name_problem

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
PHASE = re.compile(r"Phase[0-9]+-.+")
LABEL = re.compile(r"([0-9]{3,12})(?:\.([0-9]{1,6}))?M")

UNFINISHED = "being written, or left half written by a crash: the next start removes it"
NO_NUMBER = "its name is no number of timesteps, as rltui and rlgym-ppo write them"
NO_PHASE = "its name is not Phase<N>-<name>"
NO_LABEL = "its name is not <millions>M, as in 005M or 012.35M"


class MilestoneMark(msgspec.Struct, frozen=True):
    """What people say of one milestone."""

    pinned: bool = False
    released: bool = False  # also blocks deletion
    note: str = ""


class _MilestoneMarks(msgspec.Struct):
    schema: int = 1
    marks: dict[str, MilestoneMark] = {}


_decoder = msgspec.json.Decoder(_MilestoneMarks)


NO_MARK = MilestoneMark()


@dataclass(frozen=True)
class CheckpointInfo:
    """One folder that is, or should be, a checkpoint. `damage` says why it is not: none such is ever acted on."""

    path: Path
    timesteps: int  # meta.json's; where that cannot be read, what the folder's name says
    meta: Meta | None
    damage: str | None
    milestone: str = ""  # `Phase1-BallTouching/005M`; empty for a plain checkpoint
    bytes: int | None = None  # of all files, by the manifest; None where unknown
    mark: MilestoneMark = NO_MARK  # as far as it was read with an inventory

    @property
    def commit(self) -> int | None:
        return self.meta.commit if self.meta else None

    @property
    def name(self) -> str:
        """In sentences: `checkpoint 250000`, `milestone Phase1-BallTouching/005M`."""
        return f"milestone {self.milestone}" if self.milestone else f"checkpoint {self.path.name}"

    def document(self) -> dict[str, Any]:
        """As the JSON of `ls` and `status` has it."""
        return {
            "path": str(self.path),
            "name": self.name,
            "timesteps": self.timesteps,
            "meta": self.meta,
            "damage": self.damage,
            "mark": self.mark,
        }


def list_checkpoints(paths: RunPaths) -> list[CheckpointInfo]:
    """Every numbered folder, oldest commit first, those of unknown commit last."""
    found = (_survey(path, int(path.name)) for path in folders(paths.checkpoints) if NUMBER.fullmatch(path.name))
    return _in_order(filter(_is_there, found))


def list_milestones(paths: RunPaths) -> list[CheckpointInfo]:
    """Every folder `Phase<N>-<label>/<millions>M`, oldest commit first, those of unknown commit last."""
    found = (
        (path, label)
        for phase in folders(paths.milestones)
        if PHASE.fullmatch(phase.name)
        for path in folders(phase)
        if (label := LABEL.fullmatch(path.name))
    )
    infos = (
        _survey(path, int(label[1] + (label[2] or "").ljust(6, "0")), f"{path.parent.name}/{path.name}")
        for path, label in found
    )
    return _in_order(filter(_is_there, infos))


def _is_there(info: CheckpointInfo) -> bool:
    """False for what was pruned while it was looked at."""
    return info.damage is None or info.path.exists()


def newest_commit(paths: RunPaths) -> int:
    """The highest commit of the run's complete checkpoints and milestones; 0 where there is none."""
    return max((info.commit or 0 for info in complete_checkpoints(paths)), default=0)


def complete_checkpoints(paths: RunPaths) -> list[CheckpointInfo]:
    """The complete checkpoints and milestones, oldest commit first; of one state the checkpoint comes last."""
    both = list_milestones(paths) + list_checkpoints(paths)
    return _in_order(info for info in both if info.damage is None)


def metas(infos: Iterable[CheckpointInfo]) -> list[Meta]:
    """Of those that are complete."""
    return [info.meta for info in infos if info.meta is not None and info.damage is None]


def read_checkpoint_info(path: Path) -> CheckpointInfo:
    """What one folder, wherever it is, holds."""
    number = int(path.name) if NUMBER.fullmatch(path.name) else 0
    return _survey(path, number, f"{path.parent.name}/{path.name}" if LABEL.fullmatch(path.name) else "")


def _survey(path: Path, named: int, milestone: str = "") -> CheckpointInfo:
    seen = survey(path, meta.NAME)
    try:
        if isinstance(seen.content, DamagedError):
            raise seen.content
        found = meta.checked(seen.content)
    except DamagedError as error:
        return CheckpointInfo(path, named, None, seen.damage or str(error), milestone, seen.size)
    return CheckpointInfo(path, found.timesteps, found, seen.damage, milestone, seen.size)


def _in_order(infos: Iterator[CheckpointInfo]) -> list[CheckpointInfo]:
    def key(info: CheckpointInfo) -> tuple[bool, int, bool, int, str]:
        return info.commit is None, info.commit or 0, not info.milestone, info.timesteps, info.path.name

    return sorted(infos, key=key)


@dataclass(frozen=True, slots=True)
class UnrecognisedEntry:
    """Something that no reader acts on. info: what it holds where it is a saved state under an odd name."""

    path: Path
    reason: str
    info: CheckpointInfo | None = None


@dataclass(frozen=True, slots=True)
class Inventory:
    """What one run has, damaged states included; oldest first. problem: why marks cannot be read; empty where they can."""

    run: str
    trainer: Holder | None
    milestones: tuple[CheckpointInfo, ...]
    checkpoints: tuple[CheckpointInfo, ...]
    unrecognised: tuple[UnrecognisedEntry, ...]
    problem: str = ""
    paused: float | None = None  # Unix seconds since when the trainer has been held by hand

    @property
    def states(self) -> tuple[CheckpointInfo, ...]:
        return (*self.milestones, *self.checkpoints)

    @property
    def damaged(self) -> list[CheckpointInfo]:
        return [info for info in self.states if info.damage is not None]

    @property
    def metas(self) -> list[Meta]:
        """What is known of all that is not damaged."""
        return metas(self.states)

    @property
    def protected(self) -> frozenset[int]:
        """Commits of the checkpoints that are not pruned, however many newer ones come."""
        return protected(metas(self.checkpoints), metas(self.milestones))

    @property
    def parent(self) -> str | None:
        """`<run>@<timesteps>` that the run was branched or forked from."""
        known = [info.meta for info in (*self.checkpoints, *self.milestones) if info.meta is not None]
        return max(known, key=lambda meta: meta.commit).parent if known else None


def read_inventory(paths: RunPaths) -> Inventory:
    """As it is now. Looks at names, sizes and meta.json; hashes are another matter. Never raises for what is there."""
    milestones, checkpoints = list_milestones(paths), list_checkpoints(paths)
    try:
        marks, problem = read_marks(paths), ""
    except RltuiError as error:
        marks, problem = {}, error.message
    trainer = lock_holder(paths)
    return Inventory(
        paths.name,
        trainer,
        tuple(replace(info, mark=marks.get(info.milestone, NO_MARK)) for info in milestones),
        tuple(checkpoints),
        tuple(_unrecognised(paths)),
        problem,
        read_paused_since(paths, trainer),
    )


def unrecognised_among_runs(data: DataDir) -> list[UnrecognisedEntry]:
    """What lies among the runs and can be none."""
    found: list[UnrecognisedEntry] = []
    for place in (data.runs, data.checkpoints, data.milestones):
        for path in folder_entries(place):
            if path.name.startswith(".") and is_folder(path):
                continue  # .saving, .damaged: our own
            if path.name == MILESTONES and place == data.checkpoints:
                continue
            if not is_folder(path):
                found.append(UnrecognisedEntry(path, _no_folder(path)))
            elif (problem := name_problem(path.name)) is not None:
                found.append(UnrecognisedEntry(path, f"no run may be called so: it {problem}"))
    return found


def _unrecognised(paths: RunPaths) -> Iterator[UnrecognisedEntry]:
    yield from _odd(paths.checkpoints, NUMBER, NO_NUMBER)
    for path in folder_entries(paths.milestones):
        if not is_folder(path):
            yield UnrecognisedEntry(path, _no_folder(path))
        elif PHASE.fullmatch(path.name) is None:
            yield UnrecognisedEntry(path, NO_PHASE)
        else:
            yield from _odd(path, LABEL, NO_LABEL)


def _odd(place: Path, pattern: re.Pattern[str], reason: str) -> Iterator[UnrecognisedEntry]:
    for path in folder_entries(place):
        if not is_folder(path):
            yield UnrecognisedEntry(path, _no_folder(path))
        elif path.name.startswith(TEMPORARY):
            yield UnrecognisedEntry(path, UNFINISHED)
        elif pattern.fullmatch(path.name) is None:
            yield UnrecognisedEntry(
                path, reason, read_checkpoint_info(path) if os.path.lexists(path / MANIFEST) else None
            )


def _no_folder(path: Path) -> str:
    if path.is_symlink():
        return "a link that leads to no folder"
    return "not a folder"


def file_stamp(path: Path) -> tuple[int, int] | None:
    """(modified, in nanoseconds; bytes), which differs once a file was written or a folder has got or lost an entry.

    None where there is nothing.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def folder_entries(folder: Path) -> list[Path]:
    """What lies directly inside, sorted; empty where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found)
    except OSError:
        return []


def free_bytes(root: Path) -> int | None:
    """Of the disk that holds the folder, or will; None where that is not known."""
    folder = next((folder for folder in (root, *root.parents) if folder.is_dir()), None)
    try:
        return shutil.disk_usage(folder).free if folder is not None else None
    except OSError:
        return None


def read_marks(paths: RunPaths) -> dict[str, MilestoneMark]:
    """The marks by milestone (`Phase1-BallTouching/005M`); empty without a file. RltuiError for one that is damaged."""
    try:
        return _decoder.decode(safe_io.read_bytes(paths.milestones_json)).marks
    except FileNotFoundError as error:
        if not paths.milestones_json.is_symlink():
            return {}
        raise RltuiError(f"{paths.milestones_json} is a link to nothing", "mend it or move it away") from error
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = safe_io.reason(error) if isinstance(error, OSError | ValueError) else str(error)
        raise RltuiError(f"{paths.milestones_json} cannot be read: {reason}", "mend it or move it away") from error


def change_mark(paths: RunPaths, milestone: str, change: Callable[[MilestoneMark], MilestoneMark]) -> MilestoneMark:
    """Change one milestone's mark from what it is now, the others unchanged; returns the new one. One that says nothing is
    left out. RltuiError where the file is damaged (it is left alone) or read-only.
    """
    try:
        with _alone(paths.folder):
            marks = read_marks(paths)
            mark = change(marks.pop(milestone, NO_MARK))
            if mark != NO_MARK:
                marks[milestone] = mark
            content = msgspec.json.format(msgspec.json.encode(_MilestoneMarks(marks=marks)), indent=1) + b"\n"
            replace_file(paths.milestones_json, content)
    except OSError as error:
        raise RltuiError(f"cannot write {paths.milestones_json}: {error.strerror or error}") from error
    return mark


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process changes marks meanwhile, so that none is lost. Windows cannot lock a folder. Raises OSError."""
    make_folder(folder)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
