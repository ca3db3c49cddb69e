"""One checkpoint folder: written atomically, never changed after, read only as far as its hashes match.

A folder is a complete checkpoint if manifest.sha256 is whole and every file it names is there. What files they are is
their makers' business; here they are bytes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs import manifest
from rltui.runs.atomic import fsync_folder, make_folder, remove_tree, same_disk, temporary_name, write_new
from rltui.runs.faults import fault


def write_checkpoint(folder: Path, files: Mapping[str, bytes], staging: Path | None = None) -> int:
    """Write the files as a new checkpoint at `folder`; returns its size in bytes, manifest included.

    The files are written and synced in a temporary folder (inside `staging`, where that is on the same disk, else
    beside the target) which is then renamed. Raises RltuiError with nothing but the temporary folder touched, and that
    removed again: where `folder` exists, the disk is full, or writing is forbidden.
    """
    text = manifest.render(manifest.of_files(files))
    temporary: Path | None = None
    try:
        _refuse_existing(folder)
        temporary = _temporary_folder(folder, staging)
        _fill(temporary, files, text)
        _refuse_existing(folder)
        fault("save.rename")
        temporary.rename(folder)
        temporary = None
        fault("save.fsync_parent")
        fsync_folder(folder.parent)
    except OSError as error:
        raise RltuiError(f"cannot save {folder}: {_why(error, folder)}") from error
    finally:
        if temporary is not None:
            remove_tree(temporary)
    fault("save.done")
    return len(text) + sum(len(content) for content in files.values())


class DamagedError(Exception):
    """This is no complete checkpoint; the message names the file and what is wrong with it."""


def damage(folder: Path, thorough: bool = False) -> str | None:
    """Why this is no complete checkpoint, in words; None where it is one. Looks at sizes; at content if `thorough`."""
    try:
        for name, entry in _entries(folder).items():
            if thorough:
                _content(folder / name, entry)
            else:
                _check_size(folder / name, entry)
    except DamagedError as error:
        return str(error)
    return None


def is_complete(folder: Path) -> bool:
    """Whether every file is there in its full size: what listing and pruning go by."""
    return damage(folder) is None


@dataclass(frozen=True)
class Survey:
    """damage: as the function's, by sizes. content: of the one file read, or what is wrong with it.

    size: bytes of all files by the manifest, itself included; None where unknown.
    """

    damage: str | None
    size: int | None
    content: bytes | DamagedError


def survey(folder: Path, name: str) -> Survey:
    """What listings want of a folder, from one look: its sizes, and one of its files, whose hash is checked."""
    try:
        entries = _entries(folder)
    except DamagedError as error:
        return Survey(str(error), None, error)
    reason = None
    try:
        for each, entry in entries.items():
            _check_size(folder / each, entry)
    except DamagedError as error:
        reason = str(error)
    total = sum(entry.size for entry in entries.values()) + len(manifest.render(entries))
    try:
        return Survey(reason, total, _one(folder, entries, name))
    except DamagedError as error:
        return Survey(reason, total, error)


def verify(folder: Path) -> None:
    """Read everything. RltuiError names the damaged file and what is wrong with it."""
    reason = damage(folder, thorough=True)
    if reason is not None:
        raise _refusal(folder, reason)


def read_checkpoint(folder: Path) -> dict[str, bytes]:
    """The files by name, exactly as they were written. RltuiError names the damaged file and what is wrong with it."""
    try:
        return {name: _content(folder / name, entry) for name, entry in _entries(folder).items()}
    except DamagedError as error:
        raise _refusal(folder, str(error)) from error


def read_file(folder: Path, name: str) -> bytes:
    """One file, checked like all. DamagedError where it is missing or damaged."""
    return _one(folder, _entries(folder), name)


def _one(folder: Path, entries: Mapping[str, manifest.Entry], name: str) -> bytes:
    entry = entries.get(name)
    if entry is None:
        raise DamagedError(f"{name} is not in {manifest.NAME}")
    return _content(folder / name, entry)


def _refusal(folder: Path, reason: str) -> RltuiError:
    return RltuiError(f"checkpoint {folder} cannot be used: {reason}", "choose another checkpoint or milestone")


def _refuse_existing(folder: Path) -> None:
    if os.path.lexists(folder):
        raise FileExistsError(errno.EEXIST, "it exists already and is never written to", str(folder))


def _temporary_folder(folder: Path, staging: Path | None) -> Path:
    fault("save.mkdir")
    make_folder(folder.parent)
    where = folder.parent
    if staging is not None:
        make_folder(staging)
        where = staging if same_disk(staging, folder.parent) else where
    temporary = where / temporary_name(folder.name)
    temporary.mkdir()
    return temporary


def _fill(temporary: Path, files: Mapping[str, bytes], text: bytes) -> None:
    for name, content in files.items():
        write_new(temporary / name, content, "save")
    write_new(temporary / manifest.NAME, text, "save.manifest")
    fault("save.fsync_folder")
    fsync_folder(temporary)


def _why(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full or a limit is reached ({error.strerror})"
    where = "" if error.filename in (None, str(folder)) else f" ({error.filename})"
    return f"{error.strerror or error}{where}"


def _entries(folder: Path) -> dict[str, manifest.Entry]:
    path = folder / manifest.NAME
    try:
        size = _regular_size(path)
    except FileNotFoundError:
        raise DamagedError(f"no {manifest.NAME}: half copied, or not a checkpoint") from None
    except OSError as error:
        raise DamagedError(f"{manifest.NAME}: {error.strerror or error}") from error
    if size > manifest.LARGEST:
        raise DamagedError(f"{manifest.NAME} is too large: {size} bytes")
    try:
        return manifest.parse(safe_io.read_bytes(path, manifest.LARGEST))
    except ValueError as error:
        raise DamagedError(f"{manifest.NAME} {error}") from error
    except OSError as error:
        raise DamagedError(f"{manifest.NAME}: {error.strerror or error}") from error


def _content(path: Path, entry: manifest.Entry) -> bytes:
    """Size first, then the hash of the very bytes that are returned: a change while reading cannot slip through."""
    _check_size(path, entry)
    try:
        with safe_io.open_to_read(path) as file:
            content = file.read(entry.size + 1)
    except OSError as error:
        raise DamagedError(f"{path.name}: {error.strerror or error}") from error
    found = manifest.sha256(content)
    if found != entry.sha256:
        raise DamagedError(f"{path.name} is damaged: its SHA-256 is {found[:12]}…, expected {entry.sha256[:12]}…")
    return content


def _check_size(path: Path, entry: manifest.Entry) -> None:
    try:
        size = _regular_size(path)
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing") from None
    except OSError as error:
        raise DamagedError(f"{path.name}: {error.strerror or error}") from error
    if size != entry.size:
        raise DamagedError(f"{path.name} is damaged: it has {size} bytes, expected {entry.size}")


def _regular_size(path: Path) -> int:
    """Bytes of a regular file; OSError for anything else (opening a pipe would hang)."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    return found.st_size
