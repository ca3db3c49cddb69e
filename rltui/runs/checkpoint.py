"""Checkpoint folders: written atomically, never changed after, read only as far as the manifest's hashes match."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.atomic import (
    fault,
    fsync_folder,
    make_folder,
    remove_tree,
    same_disk,
    sync_or_undo,
    temporary_name,
    write_new,
)

# One line a file, `<sha256>  <name>` as sha256sum writes them. The last line hashes the lines above it and gives the
# files' sizes in their order, so that a cut file is found without reading any: `<sha256>  sizes 1024 2048`.
MANIFEST = "manifest.sha256"
LARGEST_MANIFEST = 1 << 20  # bytes; a longer one is not ours
POLICY_FILE = "policy.npz"  # equal in two saved states exactly if the bot is the same

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


@dataclass(frozen=True)
class ManifestEntry:
    """One file of a checkpoint."""

    sha256: str  # hex
    size: int  # bytes


def sha256(content: bytes) -> str:
    """Hex digest."""
    return hashlib.sha256(content).hexdigest()


def manifest_of(files: Mapping[str, bytes]) -> dict[str, ManifestEntry]:
    """The entries of files in memory. ValueError for no files, and a name that could leave its folder or is this one's."""
    if not files:
        raise ValueError("a checkpoint cannot be empty")
    for name in files:
        if not _FILE_NAME.fullmatch(name) or name == MANIFEST:
            raise ValueError(f"{name!r} cannot be a file of a checkpoint")
    return {name: ManifestEntry(sha256(content), len(content)) for name, content in files.items()}


def render_manifest(entries: Mapping[str, ManifestEntry]) -> bytes:
    """The manifest's text."""
    lines = "".join(f"{entry.sha256}  {name}\n" for name, entry in entries.items()).encode()
    sizes = " ".join(str(entry.size) for entry in entries.values())
    return lines + f"{sha256(lines)}  sizes {sizes}\n".encode()


def parse_manifest(content: bytes) -> dict[str, ManifestEntry]:
    """The entries by name. ValueError, with the reason, for anything that `render` would not write."""
    try:
        *lines, last = [_split(line) for line in content.decode("ascii").splitlines()]
    except UnicodeDecodeError:
        raise ValueError("is not text") from None
    except ValueError:
        raise ValueError("is cut or damaged") from None
    word, *sizes = last[1].split(" ")
    if word != "sizes" or len(sizes) != len(lines) or not all(size.isdigit() for size in sizes):
        raise ValueError("has no last line: it is cut or damaged")
    entries = {name: ManifestEntry(digest, int(size)) for (digest, name), size in zip(lines, sizes, strict=True)}
    if render_manifest(entries) != content:
        raise ValueError("does not match the hash in its last line")
    if not all(_FILE_NAME.fullmatch(name) for name in entries):
        raise ValueError("names a file outside the checkpoint")
    return entries


def _split(line: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    return match[1], match[2]


def write_checkpoint(folder: Path, files: Mapping[str, bytes], staging: Path | None = None) -> int:
    """Write the files as a new checkpoint at `folder`; returns its size in bytes, manifest included.

    The files are written and synced in a temporary folder (inside `staging`, where that is on the same disk, else
    beside the target) which is then renamed. Raises RltuiError with nothing but the temporary folder touched, and that
    removed again: where `folder` exists, the disk is full, or writing is forbidden.
    """
    text = render_manifest(manifest_of(files))
    temporary: Path | None = None
    try:
        _refuse_existing(folder)
        temporary = _temporary_folder(folder, staging)
        _fill(temporary, files, text)
        _refuse_existing(folder)
        fault("save.rename")
        temporary.rename(folder)
        sync_or_undo("save.fsync_parent", folder.parent, partial(folder.rename, temporary))
        temporary = None
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
    total = sum(entry.size for entry in entries.values()) + len(render_manifest(entries))
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


def _one(folder: Path, entries: Mapping[str, ManifestEntry], name: str) -> bytes:
    entry = entries.get(name)
    if entry is None:
        raise DamagedError(f"{name} is not in {MANIFEST}")
    return _content(folder / name, entry)


def _refusal(folder: Path, reason: str) -> RltuiError:
    return RltuiError(f"checkpoint {folder} cannot be used: {reason}", "choose another checkpoint or milestone")


def _refuse_existing(folder: Path) -> None:
    if os.path.lexists(folder):
        raise FileExistsError(errno.EEXIST, "it exists already", str(folder))


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
    write_new(temporary / MANIFEST, text, "save.manifest")
    fault("save.fsync_folder")
    fsync_folder(temporary)


def _why(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full or a limit is reached ({error.strerror})"
    where = "" if error.filename in (None, str(folder)) else f" ({error.filename})"
    return f"{error.strerror or error}{where}"


def _entries(folder: Path) -> dict[str, ManifestEntry]:
    path = folder / MANIFEST
    try:
        size = _regular_size(path)
    except FileNotFoundError:
        raise DamagedError(f"no {MANIFEST}: half copied, or not saved by rltui (rlgym-ppo's: rltui import)") from None
    except OSError as error:
        raise DamagedError(f"{MANIFEST}: {error.strerror or error}") from error
    if size > LARGEST_MANIFEST:
        raise DamagedError(f"{MANIFEST} is too large: {size} bytes")
    try:
        return parse_manifest(safe_io.read_bytes(path, LARGEST_MANIFEST))
    except ValueError as error:
        raise DamagedError(f"{MANIFEST} {error}") from error
    except OSError as error:
        raise DamagedError(f"{MANIFEST}: {error.strerror or error}") from error


def _content(path: Path, entry: ManifestEntry) -> bytes:
    """Size first, then the hash of the very bytes that are returned: a change while reading cannot slip through."""
    _check_size(path, entry)
    try:
        with safe_io.open_to_read(path) as file:
            content = file.read(entry.size + 1)
    except OSError as error:
        raise DamagedError(f"{path.name}: {error.strerror or error}") from error
    found = sha256(content)
    if found != entry.sha256:
        raise DamagedError(f"{path.name} is damaged: its SHA-256 is {found[:12]}…, expected {entry.sha256[:12]}…")
    return content


def _check_size(path: Path, entry: ManifestEntry) -> None:
    """Texts are read whole, by many: a large one is none of ours."""
    if path.suffix in (".json", ".toml") and entry.size > safe_io.LARGEST:
        raise DamagedError(f"{path.name} is too large: {entry.size:,} bytes")
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
