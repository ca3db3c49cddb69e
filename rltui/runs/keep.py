"""Copies of a checkpoint: kept as a milestone of its run, or exported to another place."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.profile.toml_text import toml_values
from rltui.runs import checkpoint, meta
from rltui.runs.atomic import make_folder, remove_tree, sync_or_undo, temporary_name, write_new
from rltui.runs.checkpoint import POLICY_FILE, DamagedError, read_checkpoint, read_file, sha256, write_checkpoint
from rltui.runs.inventory import CheckpointInfo, list_milestones
from rltui.runs.lock import no_new_trainer
from rltui.runs.meta import Meta, milestone_label, phase_folder
from rltui.runs.paths import DataDir, RunPaths, absolute, is_below, is_folder
from rltui.runs.saver import move_aside
from rltui.safe_io import clipped, new_name_problem, path_problem


@dataclass(frozen=True)
class SavedCopy:
    """milestone: `Phase1-BallTouching/012.43136M`. present: this very state was a milestone already; nothing was changed.

    set_aside: where a damaged milestone of the same name is now.
    """

    milestone: str
    path: Path
    present: bool = False
    set_aside: Path | None = None


def keep_checkpoint(paths: RunPaths, info: CheckpointInfo) -> SavedCopy:
    """Copy one complete state of the run to its milestones, under its trainer's name for it, each byte checked twice.

    A living trainer may remove the checkpoint meanwhile: the copy is then whole, or there is none. Nothing is written to the
    journal, which is the trainer's alone. RltuiError, with nothing changed, where it is damaged or gone, where another state has its name, and where the disk is
    full or may not be written.
    """
    files = _content(paths, info)
    about = _about(info, files)
    try:
        return _present(paths, about, files) or _copied(paths, about, files)
    except RltuiError:
        if (copy := _present(paths, about, files)) is not None:  # by another viewer or the trainer, meanwhile
            return copy
        raise


def _present(paths: RunPaths, about: Meta, files: Mapping[str, bytes]) -> SavedCopy | None:
    for there in list_milestones(paths):
        if there.timesteps == about.timesteps and _is_same(there.path, files):
            return SavedCopy(there.milestone, there.path, present=True)
    return None


def _copied(paths: RunPaths, about: Meta, files: Mapping[str, bytes]) -> SavedCopy:
    target = paths.milestones / _phase_folder(about, files) / milestone_label(about.timesteps)
    with no_new_trainer(paths), _no_empty_folder(target.parent), _made_way(paths, target) as aside:
        write_checkpoint(target, files, paths.staging)
        _check_copy(target)
    return SavedCopy(f"{target.parent.name}/{target.name}", target, set_aside=aside)


def _content(paths: RunPaths, info: CheckpointInfo) -> dict[str, bytes]:
    try:
        return read_checkpoint(info.path)
    except RltuiError as error:
        if os.path.lexists(info.path):
            raise
        raise RltuiError(
            f"{info.name} of run {paths.name!r} is gone: newer ones took its place",
            f"those it has: rltui milestones list {paths.name}",
        ) from error


def _about(info: CheckpointInfo, files: Mapping[str, bytes]) -> Meta:
    try:
        return meta.checked(files.get(meta.NAME, b""))
    except DamagedError as error:
        raise RltuiError(f"{info.name} cannot be kept: {error}", "choose another one") from error


def _is_same(milestone: Path, files: Mapping[str, bytes]) -> bool:
    """Whether it holds this bot, and is sound to the last byte."""
    try:
        same = read_file(milestone, POLICY_FILE) == files.get(POLICY_FILE)
    except DamagedError:
        return False
    return same and checkpoint.damage(milestone, thorough=True) is None


def _phase_folder(about: Meta, files: Mapping[str, bytes]) -> str:
    """As the trainer names it: by the label in the profile of its task."""
    try:
        label = toml_values(files.get(STATE_FILE, b"").decode()).get("label")
    except ValueError:
        label = None
    return phase_folder(about.phase, str(label or ""), about.profile)


@contextlib.contextmanager
def _made_way(paths: RunPaths, target: Path) -> Iterator[Path | None]:
    """What is damaged there is moved aside, as the trainer does it, and back where nothing comes in its place.

    RltuiError where it is sound, and so another bot's.
    """
    if not os.path.lexists(target):
        yield None
        return
    if checkpoint.damage(target, thorough=True) is None:
        raise RltuiError(
            f"milestone {target.parent.name}/{target.name} of run {paths.name!r} already holds another bot",
            "copy this one elsewhere: rltui milestones export",
        )
    aside = _set_aside(target, paths)
    try:
        yield aside
    except BaseException:
        with contextlib.suppress(OSError):
            aside.rename(target)
        raise


def _set_aside(target: Path, paths: RunPaths) -> Path:
    try:
        return move_aside(target, paths)
    except OSError as error:
        why = f"it is damaged, and cannot be moved out of the way: {error.strerror or error}"
        raise RltuiError(f"cannot keep {target}: {why}", "move it by hand") from error


def _check_copy(target: Path) -> None:
    reason = checkpoint.damage(target, thorough=True)
    if reason is not None:
        remove_tree(target)
        raise RltuiError(f"the copy differs from the original and was removed: {reason}", "the disk may be failing")


@contextlib.contextmanager
def _no_empty_folder(phase: Path) -> Iterator[None]:
    """A failure leaves no folders of which nothing came."""
    made = [folder for folder in (phase, phase.parent) if not os.path.lexists(folder)]
    try:
        yield
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def check_markable(info: CheckpointInfo) -> None:
    """RltuiError for a checkpoint: it is pruned as newer ones come, whatever its mark says."""
    if not info.milestone:
        raise RltuiError(
            f"{info.name} cannot be marked: checkpoints are replaced by newer ones",
            f"keep it as a milestone first: rltui milestones keep {info.path.parent.name}/{info.path.name} (M in the browser)",
        )


def export_target(data: DataDir, info: CheckpointInfo, typed: str, *, policy: bool = False) -> Path:
    """Where the copy of a saved state goes, as `copy_target` says."""
    return copy_target(data, typed, copy_name(info) + (".npz" if policy else ""))


def copy_target(data: DataDir, typed: str, name: str) -> Path:
    """Where a copy of this name goes: the path typed, or inside it where it is a folder already.

    RltuiError (exit 2) for nothing typed, and for a place among the data folder's own.
    """
    if not typed.strip():
        raise RltuiError("type a path", exit_code=2)
    path = absolute(typed.strip())
    if problem := path_problem(str(path)) or ("" if is_folder(path) else new_name_problem(path.name)):
        raise RltuiError(f"{clipped(typed)}: {problem}", "choose another place", exit_code=2)
    if is_folder(path):
        path = path / name
    for own in (data.runs, data.checkpoints, data.trash):
        if path == own or is_below(path, own):
            raise RltuiError(f"{path} is inside {own}, where only rltui writes", "choose another place", exit_code=2)
    return path


def copy_name(info: CheckpointInfo) -> str:
    """`alpha-005M`; `alpha-250000` of a plain checkpoint."""
    run = info.meta.run if info.meta else ""
    return "-".join(part for part in (run, info.path.name) if part)


def export_folder(info: CheckpointInfo, target: Path) -> Path:
    """Copy the complete folder, each byte checked before and after. RltuiError leaves nothing at the target."""
    _refuse_existing(target)
    write_checkpoint(target, read_checkpoint(info.path))
    try:
        checkpoint.verify(target)
    except RltuiError as error:
        raise RltuiError(f"the copy differs from the original: {error.message}", "the disk may be failing") from error
    return target


def export_policy(info: CheckpointInfo, target: Path) -> Path:
    """Copy policy.npz alone, under the name asked for. RltuiError leaves nothing at the target."""
    _refuse_existing(target)
    try:
        content = read_file(info.path, POLICY_FILE)
    except DamagedError as error:
        raise RltuiError(f"{info.name}: {error}", "choose another one") from error
    try:
        give_copy(target, content)
    except OSError as error:
        raise RltuiError(f"cannot write {target}: {error.strerror or error}") from error
    return target


def give_copy(target: Path, content: bytes) -> None:
    """A new file, read back before it gets its name. OSError, FileExistsError where something is there, leaves nothing."""
    temporary = target.with_name(temporary_name(target.name))
    try:
        make_folder(target.parent)
        write_new(temporary, content, "export")
        if sha256(temporary.read_bytes()) != sha256(content):
            raise OSError(errno.EIO, "the copy differs from the original")
        _give_name(temporary, target)
        sync_or_undo("export.fsync_parent", target.parent, target.unlink)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _refuse_existing(target: Path) -> None:
    if os.path.lexists(target):
        raise RltuiError(f"{target} exists: it is never overwritten", "choose another name", exit_code=2)


def _give_name(temporary: Path, target: Path) -> None:
    """A link fails where the name is taken meanwhile; a file system without links gets a rename after a look."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "it exists already", str(target)) from None
        temporary.rename(target)
