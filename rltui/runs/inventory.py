"""Inventory of what a run has saved: checkpoints, milestones with their marks, and entries that are neither."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from rltui import formatting, safe_io
from rltui.errors import RltuiError
from rltui.runs import meta
from rltui.runs.atomic import TEMPORARY, replace_file
from rltui.runs.best import Best, best_of, best_rated, is_best, protected, read_ratings, reward_caveat
from rltui.runs.checkpoint import MANIFEST, DamagedError, survey
from rltui.runs.journal_reader import read_paused_since
from rltui.runs.lock import Holder, alone, lock_holder, start_number
from rltui.runs.meta import Meta
from rltui.runs.paths import MILESTONES, NUMBER, DataDir, RunPaths, folders, is_folder, name_problem
from rltui.runs.rlgym_ppo import is_theirs

PHASE = re.compile(r"Phase[0-9]+-.+")
LABEL = re.compile(r"([0-9]{3,12})(?:\.([0-9]{1,6}))?M")

THEIRS = "rlgym-ppo saved it: rltui import makes a run of it"
UNFINISHED = "half written; the next start removes it"
NO_NUMBER = "its name is not a number of timesteps"
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


Kind = Literal["milestone", "checkpoint", "unrecognised", "deleted"]


@dataclass(frozen=True)
class CheckpointInfo:
    """One entry of a data folder: a checkpoint, a milestone, what is neither, or one in the trash.

    damage: why it is incomplete or not recognised; nothing is ever done with such a one. best: as which it is the best of its
    run by reward. protected: a checkpoint that is not pruned, for it is the best, by games where there are any. Both, and the mark, as read with an inventory.
    elo: with half its 95 % interval, where somebody has read the games, and they rate it.
    """

    path: Path
    timesteps: int | None  # meta.json's; where that cannot be read, what the folder's name says
    meta: Meta | None
    damage: str | None
    milestone: str = ""  # `Phase1-BallTouching/005M`; empty for a plain checkpoint
    bytes: int | None = None  # of all files, by the manifest; None where unknown
    run: str = ""  # empty for what belongs to none, or lies elsewhere
    unrecognised: bool = False
    deleted: float | None = None  # Unix seconds
    mark: MilestoneMark = NO_MARK
    best: Best | None = None
    protected: bool = False
    elo: tuple[float, float] | None = None

    @property
    def kind(self) -> Kind:
        if self.unrecognised:
            return "unrecognised"
        return "deleted" if self.deleted is not None else "milestone" if self.milestone else "checkpoint"

    @property
    def saved(self) -> bool:
        """Whether it is one of its run's states, damaged or not."""
        return not self.unrecognised and self.deleted is None

    @property
    def usable(self) -> bool:
        """Whether something can be done with it, as far as is known without its hashes."""
        return self.saved and self.damage is None

    @property
    def commit(self) -> int | None:
        return self.meta.commit if self.meta else None

    @property
    def caveat(self) -> str:
        """Why its reward does not count; empty where it does."""
        return reward_caveat(self.meta) if self.meta else ""

    @property
    def phase(self) -> str:
        """The phase's folder of a milestone, else empty."""
        return self.milestone.partition("/")[0]

    @property
    def phase_words(self) -> str:
        """The phase's folder, of a checkpoint its number; empty outside of phases."""
        number = self.meta.phase if self.meta else None
        return self.phase or ("" if number is None else str(number))

    @property
    def address(self) -> str:
        """As commands name it, behind its run: `Phase1-BallTouching/005M`, `250000`."""
        return self.milestone or self.path.name

    @property
    def name(self) -> str:
        """In sentences of commands: `checkpoint 250000`, `milestone Phase1-BallTouching/005M`."""
        return f"milestone {self.milestone}" if self.milestone else f"checkpoint {self.path.name}"

    @property
    def label(self) -> str:
        """As lists show it: `5 M`, `checkpoint`, or an unrecognised entry's own name."""
        if self.unrecognised:
            return self.path.name
        return formatting.millions(self.path.name) if self.milestone else "checkpoint"

    @property
    def title(self) -> str:
        """On screens: `milestone 5 M of alpha`, `checkpoint 250,000 of alpha`."""
        kind = "milestone" if self.milestone else "checkpoint"
        what = self.path.name if self.unrecognised else formatting.state_name(kind, self.path.name)
        return f"{what} of {self.run}" if self.run else what

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
    numbered = (path for path in folders(paths.checkpoints) if NUMBER.fullmatch(path.name))
    found = (_survey(path, int(path.name), run=paths.name) for path in numbered)
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
        _survey(path, int(label[1] + (label[2] or "").ljust(6, "0")), f"{path.parent.name}/{path.name}", paths.name)
        for path, label in found
    )
    return _in_order(filter(_is_there, infos))


def _is_there(info: CheckpointInfo) -> bool:
    """False for what was pruned while it was looked at."""
    return info.damage is None or info.path.exists()


def newest_commit(paths: RunPaths) -> int:
    """The highest commit of the run's complete checkpoints and milestones; 0 where there is none."""
    return max((info.commit or 0 for info in complete_checkpoints(paths)), default=0)


def list_states(paths: RunPaths) -> list[CheckpointInfo]:
    """Checkpoints and milestones, oldest commit first, those of unknown commit last; of one state the checkpoint comes last."""
    return _in_order([*list_milestones(paths), *list_checkpoints(paths)])


def complete_checkpoints(paths: RunPaths) -> list[CheckpointInfo]:
    """Those of `list_states` that are not damaged."""
    return [info for info in list_states(paths) if info.damage is None]


def metas(infos: Iterable[CheckpointInfo]) -> list[Meta]:
    """Of those that are complete."""
    return [info.meta for info in infos if info.meta is not None and info.damage is None]


def read_checkpoint_info(path: Path) -> CheckpointInfo:
    """What one folder, wherever it is, holds."""
    number = int(path.name) if NUMBER.fullmatch(path.name) else None
    return _survey(path, number, f"{path.parent.name}/{path.name}" if LABEL.fullmatch(path.name) else "")


def _survey(path: Path, named: int | None, milestone: str = "", run: str = "") -> CheckpointInfo:
    seen = survey(path, meta.NAME)
    try:
        if isinstance(seen.content, DamagedError):
            raise seen.content
        found = meta.checked(seen.content)
    except DamagedError as error:
        damage = THEIRS if is_theirs(path) else seen.damage or str(error)
        return CheckpointInfo(path, named, None, damage, milestone, seen.size, run)
    return CheckpointInfo(path, found.timesteps, found, seen.damage, milestone, seen.size, run)


def _in_order(infos: Iterable[CheckpointInfo]) -> list[CheckpointInfo]:
    def key(info: CheckpointInfo) -> tuple[bool, int, bool, int, str]:
        return info.commit is None, info.commit or 0, not info.milestone, info.timesteps or 0, info.path.name

    return sorted(infos, key=key)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What one run has, damaged states included; oldest first. problem: why marks cannot be read; empty where they can."""

    run: str
    trainer: Holder | None
    milestones: tuple[CheckpointInfo, ...]
    checkpoints: tuple[CheckpointInfo, ...]
    unrecognised: tuple[CheckpointInfo, ...]
    best: tuple[Best, ...] = ()  # by reward, of all that is complete; of the present rewards last
    problem: str = ""
    paused: float | None = None  # Unix seconds since when the trainer has been held by hand
    start: int = 0  # number of its newest start, see lock.py
    best_rated: int | None = None  # timesteps of the state whose Elo is surely the highest

    @property
    def states(self) -> tuple[CheckpointInfo, ...]:
        return (*self.milestones, *self.checkpoints)

    @property
    def entries(self) -> tuple[CheckpointInfo, ...]:
        """All of it: milestones and checkpoints, newest first, then what is unrecognised."""
        return (*reversed(self.milestones), *reversed(self.checkpoints), *self.unrecognised)

    @property
    def damaged(self) -> list[CheckpointInfo]:
        return [info for info in self.states if info.damage is not None]

    @property
    def metas(self) -> list[Meta]:
        """What is known of all that is not damaged."""
        return metas(self.states)

    @property
    def parent(self) -> str | None:
        """`<run>@<timesteps>` that the run was branched or forked from."""
        known = [info.meta for info in self.states if info.meta is not None]
        return max(known, key=lambda meta: meta.commit).parent if known else None


def read_inventory(paths: RunPaths) -> Inventory:
    """As it is now. Looks at names, sizes and meta.json; hashes are another matter. Never raises for what is there."""
    milestones, checkpoints = list_milestones(paths), list_checkpoints(paths)
    try:
        marks, problem = read_marks(paths), ""
    except RltuiError as error:
        marks, problem = {}, error.message
    best = best_of(metas([*milestones, *checkpoints]))
    alone = best_of(metas([*milestones, *checkpoints]), fewest=1)
    several = len({info.commit for info in (*milestones, *checkpoints)}) > 1  # a run's only state is no choice
    ratings = read_ratings(paths)
    safe = protected(metas(checkpoints), metas(milestones), ratings)
    rated = best_rated(metas([*milestones, *checkpoints]), ratings)

    def judged(info: CheckpointInfo) -> CheckpointInfo:
        if info.damage is None:
            spared = not info.milestone and info.commit in safe
            found = is_best(alone if spared and several else best, info.meta)
            info = replace(info, best=found, protected=spared)
        return replace(info, mark=marks.get(info.milestone, NO_MARK)) if info.milestone else info

    trainer = lock_holder(paths)
    return Inventory(
        paths.name,
        trainer,
        tuple(map(judged, milestones)),
        tuple(map(judged, checkpoints)),
        tuple(_unrecognised(paths)),
        tuple(best),
        problem,
        read_paused_since(paths, trainer),
        start_number(paths),
        None if rated is None else rated.timesteps,
    )


def run_stamp(paths: RunPaths) -> tuple[object, ...]:
    """Differs once anything was added, removed, renamed or marked, another trainer is there, or it is paused."""
    places = [
        paths.checkpoints,
        paths.milestones,
        *folder_entries(paths.milestones),
        paths.milestones_json,
        paths.ratings,
    ]
    trainer = lock_holder(paths)
    return trainer is not None, read_paused_since(paths, trainer), *map(file_stamp, places)


def unrecognised_among_runs(data: DataDir) -> list[CheckpointInfo]:
    """What lies among the runs and can be none."""
    found: list[CheckpointInfo] = []
    for place in (data.runs, data.checkpoints, data.milestones):
        for path in folder_entries(place):
            if path.name.startswith(".") and is_folder(path):
                continue  # .saving, .damaged: our own
            if path.name == MILESTONES and place == data.checkpoints:
                continue
            if not is_folder(path):
                found.append(_odd(path, _no_folder(path)))
            elif (problem := name_problem(path.name)) is not None:
                found.append(_odd(path, f"not a run's name: {problem}"))
    return found


def _unrecognised(paths: RunPaths) -> Iterator[CheckpointInfo]:
    yield from _odd_ones(paths.checkpoints, NUMBER, NO_NUMBER, paths.name)
    for path in folder_entries(paths.milestones):
        if not is_folder(path):
            yield _odd(path, _no_folder(path), paths.name)
        elif PHASE.fullmatch(path.name) is None:
            yield _odd(path, NO_PHASE, paths.name)
        else:
            yield from _odd_ones(path, LABEL, NO_LABEL, paths.name)


def _odd_ones(place: Path, pattern: re.Pattern[str], reason: str, run: str) -> Iterator[CheckpointInfo]:
    for path in folder_entries(place):
        if not is_folder(path):
            yield _odd(path, _no_folder(path), run)
        elif path.name.startswith(TEMPORARY):
            yield _odd(path, UNFINISHED, run)
        elif pattern.fullmatch(path.name) is None:
            info = _odd(path, reason, run)
            if os.path.lexists(path / MANIFEST):  # a saved state under an odd name
                inside = read_checkpoint_info(path)
                info = replace(info, timesteps=inside.timesteps, meta=inside.meta, bytes=inside.bytes)
            yield info


def _odd(path: Path, reason: str, run: str = "") -> CheckpointInfo:
    return CheckpointInfo(path, None, None, reason, run=run, unrecognised=True)


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
        raise RltuiError(f"{paths.milestones_json} is a link to nothing", "repair or move it") from error
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = safe_io.reason(error) if isinstance(error, OSError | ValueError) else str(error)
        raise RltuiError(f"{paths.milestones_json} cannot be read: {reason}", "repair or move it") from error


def change_mark(paths: RunPaths, milestone: str, change: Callable[[MilestoneMark], MilestoneMark]) -> MilestoneMark:
    """Change one milestone's mark from what it is now, the others unchanged; returns the new one. One that says nothing is
    left out. RltuiError where the file is damaged (it is left alone) or read-only.
    """
    try:
        with alone(paths.folder):
            marks = read_marks(paths)
            mark = change(marks.pop(milestone, NO_MARK))
            if mark != NO_MARK:
                marks[milestone] = mark
            content = msgspec.json.format(msgspec.json.encode(_MilestoneMarks(marks=marks)), indent=1) + b"\n"
            replace_file(paths.milestones_json, content)
    except OSError as error:
        raise RltuiError(f"cannot write {paths.milestones_json}: {error.strerror or error}") from error
    return mark
