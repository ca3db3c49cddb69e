"""A copy of a saved state outside the data folder: the whole folder, or its policy.npz. Never over anything."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs import checkpoint
from rltui.runs.atomic import fsync_folder, make_folder, temporary_name, write_new
from rltui.runs.checkpoint import DamagedError, read_checkpoint, read_file, write_checkpoint
from rltui.runs.inside import is_below
from rltui.runs.listing import CheckpointInfo
from rltui.runs.manifest import sha256
from rltui.runs.paths import DataDir, absolute, is_folder
from rltui.runs.saver import POLICY_FILE


def target_of(data: DataDir, info: CheckpointInfo, typed: str, *, policy: bool = False) -> Path:
    """Where the copy goes: the path typed, or inside it where it is a folder already.

    RltuiError (exit 2) for nothing typed, and for a place among the data folder's own.
    """
    if not typed.strip():
        raise RltuiError("where to? type a path", exit_code=2)
    path = absolute(typed.strip())
    if is_folder(path):
        path = path / (copy_name(info) + (".npz" if policy else ""))
    for own in (data.runs, data.checkpoints, data.trash):
        if path == own or is_below(path, own):
            raise RltuiError(
                f"{path} is inside {own}, where only rltui writes", "choose a place elsewhere", exit_code=2
            )
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
    temporary = target.with_name(temporary_name(target.name))
    try:
        make_folder(target.parent)
        write_new(temporary, content, "export")
        if sha256(temporary.read_bytes()) != sha256(content):
            raise OSError(errno.EIO, "the copy differs from the original")
        _give_name(temporary, target)
        fsync_folder(target.parent)
    except OSError as error:
        raise RltuiError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return target


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
