"""Bytes that reach the disk whole or not at all. Every step is a named point at which a test can make it fail."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from pathlib import Path

from rltui.runs.faults import fault

TEMPORARY = ".saving-"  # prefix of a temporary name beside its target; no reader matches it
_CHUNK = 1 << 18  # bytes per write
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows


def temporary_name(target: str) -> str:
    """A name for this process and moment alone."""
    return f"{TEMPORARY}{target}-{os.getpid()}-{time.time_ns()}"


def write_new(path: Path, content: bytes, point: str = "file") -> None:
    """Create the file, write it and fsync it. Raises OSError; FileExistsError where it is there already."""
    fault(f"{point}.create")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        rest = memoryview(content)
        while rest:
            fault(f"{point}.write")
            rest = rest[os.write(descriptor, rest[:_CHUNK]) :]
        fault(f"{point}.fsync")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes) -> None:
    """Put new content under a name: a reader sees the old or the new, never a part. OSError leaves the old one."""
    make_folder(path.parent)
    temporary = path.with_name(temporary_name(path.name))
    try:
        write_new(temporary, content)
        fault("file.rename")
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    fsync_folder(path.parent)


def make_folder(path: Path) -> None:
    """The folder with all its parents, each new name on disk before the next. Raises OSError."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    path.mkdir(exist_ok=True)
    fsync_folder(path.parent)


def fsync_folder(path: Path) -> None:
    """Put the folder's names on disk. Windows has no such call: there the rename itself is the promise."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems without it
            raise
    finally:
        os.close(descriptor)


def remove_tree(path: Path) -> None:
    """Remove a folder or file of ours, as much of it as can be; what is left is removed at the next start."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def same_disk(one: Path, other: Path) -> bool:
    """Whether a rename from one existing folder into the other can work."""
    return one.stat().st_dev == other.stat().st_dev
