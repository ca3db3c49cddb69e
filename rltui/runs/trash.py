"""Trash: a saved state goes to <data>/trash/<run>/<entry>/ by one rename, and comes back by another."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.atomic import (
    TEMPORARY,
    fault,
    fsync_folder,
    make_folder,
    remove_tree,
    replace_file,
    sync_or_undo,
    temporary_name,
    unique_suffix,
)
from rltui.runs.inventory import (
    NO_MARK,
    CheckpointInfo,
    MilestoneMark,
    change_mark,
    complete_checkpoints,
    newest_commit,
    read_checkpoint_info,
    read_marks,
)
from rltui.runs.lock import no_new_trainer
from rltui.runs.paths import DataDir, RunPaths, check_own, folders, is_below

ENTRY = "entry.json"  # written first, beside the saved state's folder


class Trashed(msgspec.Struct, frozen=True, kw_only=True):
    """One deleted state."""

    schema: int = 1
    run: str
    place: str  # where it was, from the data folder, with `/`
    name: str  # `milestone Phase1-BallTouching/005M`
    timesteps: int
    time: float  # of the deletion, Unix seconds
    milestone: str = ""
    mark: MilestoneMark = NO_MARK
    entry: str = ""  # its folder; not part of the file

    @property
    def folder(self) -> Path:
        """The saved state's own folder in the trash."""
        return Path(self.entry) / PurePosixPath(self.place).name

    @property
    def state(self) -> str:
        """As commands name it, behind its run: `Phase1-BallTouching/005M`, `250000`."""
        return self.milestone or PurePosixPath(self.place).name

    @property
    def info(self) -> CheckpointInfo:
        """What lies there now."""
        found = read_checkpoint_info(self.folder)
        timesteps = self.timesteps if found.meta is None else found.timesteps
        return replace(
            found, run=self.run, milestone=self.milestone, timesteps=timesteps, mark=self.mark, deleted=self.time
        )


_decoder = msgspec.json.Decoder(Trashed)


def why_not_deleted(paths: RunPaths, info: CheckpointInfo, *, training: bool) -> str | None:
    """Why this one may not be deleted now, in words; None where it may."""
    mark = _mark(paths, info)
    if mark.released:
        return "it is released: unrelease it first"
    if mark.pinned:
        return "it is pinned: unpin it first"
    if training and is_newest(paths, info):
        return "it is the newest state of a run in training"
    return None


def _way_out(paths: RunPaths, info: CheckpointInfo) -> str:
    """What takes the protection away, where people gave it."""
    mark = _mark(paths, info)
    command = "unrelease" if mark.released else "unpin" if mark.pinned else ""
    return f"rltui milestones {command} {paths.name}/{info.milestone}" if command else ""


def _mark(paths: RunPaths, info: CheckpointInfo) -> MilestoneMark:
    """As it is now. RltuiError where the marks cannot be read."""
    return read_marks(paths).get(info.milestone, NO_MARK) if info.milestone else NO_MARK


def is_newest(paths: RunPaths, info: CheckpointInfo) -> bool:
    """Whether without it the run would go on from an older state, or from none."""
    others = [other.commit or 0 for other in complete_checkpoints(paths) if other.path != info.path]
    return info.damage is None and max(others, default=0) < newest_commit(paths)


def delete(paths: RunPaths, info: CheckpointInfo, now: float | None = None) -> Trashed:
    """Move it to the trash. RltuiError, with nothing changed, where it is protected, needed, a link or cannot be moved.

    No trainer can start on the run meanwhile, so none loses what it has just chosen.
    """
    check_own(paths.data, info.path)
    with no_new_trainer(paths) as training:
        reason = why_not_deleted(paths, info, training=training)
        if reason is not None:
            raise RltuiError(f"{info.name} of run {paths.name!r} is not deleted: {reason}", _way_out(paths, info))
        return _move(paths, info, time.time() if now is None else now)


def list_trash(data: DataDir) -> list[Trashed]:
    """What can be restored, newest deletion first. Anything else in there is ignored."""
    found = [entry for run in folders(data.trash) for folder in folders(run) if (entry := _read(folder))]
    return sorted(found, key=lambda entry: entry.time, reverse=True)


def trashed_at(folder: Path) -> Trashed:
    """Of the saved state's own folder in the trash. RltuiError where it is there no more."""
    found = _read(folder.parent)
    if found is None:
        raise RltuiError(f"{folder.name} is in the trash no more")
    return found


def restore(data: DataDir, trashed: Trashed) -> Path:
    """Put it back with its pin and note; returns its folder. RltuiError where something is there meanwhile, or where what
    has a note would come back without it.
    """
    paths, target = data.run(trashed.run), _target(data, trashed)
    if trashed.mark != NO_MARK:
        read_marks(paths)
    try:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "its place is taken", str(target))
        make_folder(target.parent)
        if not is_below(target, data.root):
            raise RltuiError(f"{target} would lie outside the data folder: it is not restored")
        fault("trash.restore")
        trashed.folder.rename(target)
        sync_or_undo("trash.fsync_parent", target.parent, partial(target.rename, trashed.folder))
    except OSError as error:
        raise RltuiError(f"cannot restore {target}: {error.strerror or error}") from error
    if trashed.mark != NO_MARK:
        change_mark(paths, trashed.milestone, lambda _: trashed.mark)
    remove_tree(Path(trashed.entry))
    return target


def empty_trash(data: DataDir, entries: Sequence[Trashed] | None = None) -> list[Trashed]:
    """Remove these for good, or all; returns those that are gone. Only ever called because a person asked for it."""
    gone = []
    for trashed in list_trash(data) if entries is None else entries:
        folder = Path(trashed.entry)
        with contextlib.suppress(OSError):
            doomed = folder.with_name(temporary_name(folder.name))
            folder.rename(doomed)  # first out of the list, so that half an entry is never in it
            remove_tree(doomed)
            gone.append(trashed)
    return gone


def _move(paths: RunPaths, info: CheckpointInfo, now: float) -> Trashed:
    entry = _new_entry(paths, now)
    mark = _mark(paths, info)
    place = info.path.relative_to(paths.data.root).as_posix()
    trashed = Trashed(
        run=paths.name, place=place, name=info.name, timesteps=info.timesteps or 0, time=now,
        milestone=info.milestone, mark=mark, entry=str(entry),
    )  # fmt: skip
    try:
        replace_file(entry / ENTRY, msgspec.json.encode(msgspec.structs.replace(trashed, entry="")) + b"\n")
        fault("trash.rename")
        info.path.rename(entry / info.path.name)
    except OSError as error:
        remove_tree(entry)
        raise _cannot(info.path, error) from error
    with contextlib.suppress(OSError):  # it is in the trash; at worst a crash of the machine brings it back
        fsync_folder(entry)
        fsync_folder(info.path.parent)
    if mark != NO_MARK:
        change_mark(paths, info.milestone, lambda _: NO_MARK)
    return trashed


def _new_entry(paths: RunPaths, now: float) -> Path:
    """An empty folder of its own in the trash."""
    try:
        make_folder(paths.trash)
        if not is_below(paths.trash, paths.data.root):
            raise RltuiError(f"{paths.data.trash} leads out of the data folder: nothing is deleted")
        entry = paths.trash / f"{int(now * 1000)}-{unique_suffix()}"
        entry.mkdir()
    except OSError as error:
        raise _cannot(paths.trash, error) from error
    return entry


def _cannot(path: Path, error: OSError) -> RltuiError:
    if error.errno == errno.EXDEV:
        return RltuiError(
            f"{path} is on another disk than the trash: it cannot be moved there in one step", "remove it by hand"
        )
    return RltuiError(f"cannot move {path} to the trash: {error.strerror or error}; nothing was changed")


def _read(entry: Path) -> Trashed | None:
    try:
        found = _decoder.decode(safe_io.read_bytes(entry / ENTRY))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    whole = msgspec.structs.replace(found, entry=str(entry))
    return whole if whole.folder.is_dir() and not entry.name.startswith(TEMPORARY) else None


def _target(data: DataDir, trashed: Trashed) -> Path:
    """Where it was. RltuiError for a place that an entry of ours cannot have."""
    paths, target = data.run(trashed.run), data.root / PurePosixPath(trashed.place)
    own = paths.checkpoints in target.parents or paths.milestones in target.parents
    if not own or ".." in target.parts:
        raise RltuiError(f"{Path(trashed.entry) / ENTRY} names {trashed.place!r}, which is no place of a saved state")
    return target
