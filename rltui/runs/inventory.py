"""Checkpoints, milestones, unrecognised entries of a run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rltui.errors import RltuiError
from rltui.runs import meta
from rltui.runs.atomic import TEMPORARY
from rltui.runs.best import spared
from rltui.runs.checkpoint import NAME as MANIFEST
from rltui.runs.checkpoint import DamagedError, Survey, survey
from rltui.runs.journal_reader import look_paused
from rltui.runs.lock import Holder, holder
from rltui.runs.meta import Meta
from rltui.runs.milestones import MilestoneMark, read_marks
from rltui.runs.paths import MILESTONES, DataDir, RunPaths, folders, is_folder, name_problem

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
PHASE = re.compile(r"Phase[0-9]+-.+")
LABEL = re.compile(r"([0-9]{3,12})(?:\.([0-9]{1,6}))?M")


@dataclass(frozen=True)
class CheckpointInfo:
    """One folder that is, or should be, a checkpoint. `damage` says why it is not: none such is ever acted on."""

    path: Path
    timesteps: int  # meta.json's; where that cannot be read, what the folder's name says
    meta: Meta | None
    damage: str | None
    milestone: str = ""  # `Phase1-BallTouching/005M`; empty for a plain checkpoint
    bytes: int | None = None  # of all files, by the manifest; None where unknown

    @property
    def commit(self) -> int | None:
        return self.meta.commit if self.meta else None

    @property
    def name(self) -> str:
        """As people are told: `checkpoint 250000`, `milestone Phase1-BallTouching/005M`."""
        return f"milestone {self.milestone}" if self.milestone else f"checkpoint {self.path.name}"


def list_checkpoints(paths: RunPaths) -> list[CheckpointInfo]:
    """Every numbered folder, oldest commit first, those of unknown commit last."""
    found = (_look(path, int(path.name)) for path in folders(paths.checkpoints) if NUMBER.fullmatch(path.name))
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
        _look(path, int(label[1] + (label[2] or "").ljust(6, "0")), f"{path.parent.name}/{path.name}")
        for path, label in found
    )
    return _in_order(filter(_is_there, infos))


def _is_there(info: CheckpointInfo) -> bool:
    """False for what was pruned while it was looked at."""
    return info.damage is None or info.path.exists()


def newest_commit(paths: RunPaths) -> int:
    """The highest commit of the run's complete checkpoints and milestones; 0 where there is none."""
    return max((info.commit or 0 for info in complete(paths)), default=0)


def complete(paths: RunPaths) -> list[CheckpointInfo]:
    """The complete checkpoints and milestones, oldest commit first; of one state the checkpoint comes last."""
    both = list_milestones(paths) + list_checkpoints(paths)
    return _in_order(info for info in both if info.damage is None)


def metas(infos: Iterable[CheckpointInfo]) -> list[Meta]:
    """Of those that are complete."""
    return [info.meta for info in infos if info.meta is not None and info.damage is None]


def look(path: Path) -> CheckpointInfo:
    """What one folder, wherever it is, holds."""
    number = int(path.name) if NUMBER.fullmatch(path.name) else 0
    return _look(path, number, f"{path.parent.name}/{path.name}" if LABEL.fullmatch(path.name) else "")


def _look(path: Path, named: int, milestone: str = "") -> CheckpointInfo:
    seen = survey(path, meta.NAME)
    try:
        found = _meta(seen)
    except DamagedError as error:
        return CheckpointInfo(path, named, None, seen.damage or str(error), milestone, seen.size)
    return CheckpointInfo(path, found.timesteps, found, seen.damage, milestone, seen.size)


def _meta(seen: Survey) -> Meta:
    if isinstance(seen.content, DamagedError):
        raise seen.content
    return meta.checked(seen.content)


def _in_order(infos: Iterator[CheckpointInfo]) -> list[CheckpointInfo]:
    def key(info: CheckpointInfo) -> tuple[bool, int, bool, int, str]:
        return info.commit is None, info.commit or 0, not info.milestone, info.timesteps, info.path.name

    return sorted(infos, key=key)


class SavedState(msgspec.Struct, frozen=True):
    """A checkpoint or milestone, as listed."""

    path: str
    name: str  # `checkpoint 250000`, `milestone Phase1-BallTouching/005M`
    timesteps: int
    meta: Meta | None
    damage: str | None
    mark: MilestoneMark = MilestoneMark()


class SavedStates:
    """Oldest first. problem: why their marks cannot be read; empty where they can."""

    def __init__(self, paths: RunPaths) -> None:
        checkpoints, milestones = list_checkpoints(paths), list_milestones(paths)
        marks, self.problem = _marks(paths)
        self.checkpoints = _states(checkpoints, marks, damaged=False)
        self.milestones = _states(milestones, marks, damaged=False)
        self.damaged = _states(milestones + checkpoints, marks, damaged=True)
        self.metas = [state.meta for state in self.milestones + self.checkpoints if state.meta is not None]

    @property
    def newest(self) -> SavedState | None:
        """Of the complete checkpoints."""
        return self.checkpoints[-1] if self.checkpoints else None

    @property
    def newest_meta(self) -> Meta | None:
        """Of all that is complete."""
        return max(self.metas, key=lambda meta: meta.commit, default=None)


def _marks(paths: RunPaths) -> tuple[dict[str, MilestoneMark], str]:
    try:
        return read_marks(paths), ""
    except RltuiError as error:
        return {}, error.message


def _states(infos: list[CheckpointInfo], marks: dict[str, MilestoneMark], *, damaged: bool) -> list[SavedState]:
    return [
        SavedState(
            str(info.path),
            info.name,
            info.timesteps,
            info.meta,
            info.damage,
            marks.get(info.milestone, MilestoneMark()),
        )
        for info in infos
        if (info.damage is not None) == damaged
    ]


Stamp = tuple[int, int]


def stamp(path: Path) -> Stamp | None:
    """(modified, in nanoseconds; bytes), which differs once a file was written or a folder has got or lost an entry.

    None where there is nothing.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def entries(folder: Path) -> list[Path]:
    """What lies directly inside, sorted; empty where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found)
    except OSError:
        return []


def free_bytes(root: Path) -> int | None:
    """Of the disk that holds the folder, or will; None where that cannot be told."""
    folder = next((folder for folder in (root, *root.parents) if folder.is_dir()), None)
    try:
        return shutil.disk_usage(folder).free if folder is not None else None
    except OSError:
        return None


UNFINISHED = "being written, or left half written by a crash: the next start removes it"
NO_NUMBER = "its name is no number of timesteps, as rltui and rlgym-ppo write them"
NO_PHASE = "its name is not Phase<N>-<name>"
NO_LABEL = "its name is not <millions>M, as in 005M or 012.35M"


@dataclass(frozen=True, slots=True)
class Stray:
    """Something that no reader acts on. info: what it holds where it is a saved state under an odd name."""

    path: Path
    reason: str
    info: CheckpointInfo | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """Of one run. problem: why marks cannot be read."""

    run: str
    trainer: Holder | None
    milestones: tuple[CheckpointInfo, ...]
    checkpoints: tuple[CheckpointInfo, ...]
    strays: tuple[Stray, ...]
    marks: dict[str, MilestoneMark]
    problem: str = ""
    paused: float | None = None  # Unix seconds since when the trainer has been held by hand

    @property
    def complete(self) -> list[Meta]:
        """What is known of all that is not damaged."""
        return metas((*self.milestones, *self.checkpoints))

    @property
    def spared(self) -> frozenset[int]:
        """Commits of the checkpoints that are not pruned, however many newer ones come."""
        return spared(metas(self.checkpoints), metas(self.milestones))

    @property
    def parent(self) -> str | None:
        """`<run>@<timesteps>` that the run was branched or forked from."""
        metas = [info.meta for info in (*self.checkpoints, *self.milestones) if info.meta is not None]
        return max(metas, key=lambda meta: meta.commit).parent if metas else None


def read_shelf(paths: RunPaths) -> Shelf:
    """As it is now. Looks at names, sizes and meta.json; hashes are another matter. Never raises for what is there."""
    milestones, checkpoints = list_milestones(paths), list_checkpoints(paths)
    try:
        marks, problem = read_marks(paths), ""
    except RltuiError as error:
        marks, problem = {}, error.message
    trainer = holder(paths)
    return Shelf(
        paths.name,
        trainer,
        tuple(milestones),
        tuple(checkpoints),
        tuple(_strays(paths)),
        marks,
        problem,
        look_paused(paths, trainer),
    )


def foreign(data: DataDir) -> list[Stray]:
    """What lies among the runs and can be none."""
    found: list[Stray] = []
    for place in (data.runs, data.checkpoints, data.milestones):
        for path in entries(place):
            if path.name.startswith(".") and is_folder(path):
                continue  # .saving, .damaged: our own
            if path.name == MILESTONES and place == data.checkpoints:
                continue
            if not is_folder(path):
                found.append(Stray(path, _no_folder(path)))
            elif (problem := name_problem(path.name)) is not None:
                found.append(Stray(path, f"no run may be called so: it {problem}"))
    return found


def _strays(paths: RunPaths) -> Iterator[Stray]:
    yield from _odd(paths.checkpoints, NUMBER, NO_NUMBER)
    for path in entries(paths.milestones):
        if not is_folder(path):
            yield Stray(path, _no_folder(path))
        elif PHASE.fullmatch(path.name) is None:
            yield Stray(path, NO_PHASE)
        else:
            yield from _odd(path, LABEL, NO_LABEL)


def _odd(place: Path, pattern: re.Pattern[str], reason: str) -> Iterator[Stray]:
    for path in entries(place):
        if not is_folder(path):
            yield Stray(path, _no_folder(path))
        elif path.name.startswith(TEMPORARY):
            yield Stray(path, UNFINISHED)
        elif pattern.fullmatch(path.name) is None:
            yield Stray(path, reason, look(path) if os.path.lexists(path / MANIFEST) else None)


def _no_folder(path: Path) -> str:
    if path.is_symlink():
        return "a link that leads to no folder"
    return "not a folder"
