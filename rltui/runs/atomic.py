"""Atomic writes, and fault injection points for tests."""

from __future__ import annotations

import contextlib
import errno
import functools
import itertools
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

VARIABLE = "RLTUI_FAULT"
TEMPORARY = ".saving-"  # prefix of a temporary name beside its target; no reader matches it
_CHUNK = 1 << 18  # bytes per write
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows


def fault(point: str) -> str | None:
    """Fail here if `RLTUI_FAULT=point:action:nth[:marker]` says so (several separated by commas).

    point: the name passed here, or a pattern such as `save.*`. action: kill, stop, abort, segv, raise, enospc; any other word
    (nan, hang …) is returned for the caller to act on. nth: which pass of the matching points in this process, from 1; `*` is
    every pass. marker: a file; the fault fires only if it can create it, so once over all processes.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    for planned in _planned(text):
        if planned.meets(point):
            return planned.fire(point)
    return None


@dataclass(frozen=True)
class _Planned:
    pattern: str
    action: str
    nth: int | None  # None: every pass
    marker: str
    passes: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def meets(self, point: str) -> bool:
        if not fnmatchcase(point, self.pattern):
            return False
        this = next(self.passes)
        return (self.nth is None or this == self.nth) and self._first_of_all()

    def fire(self, point: str) -> str | None:
        act = _ACTIONS.get(self.action)
        if act is None:
            return self.action
        act(point)
        return None

    def _first_of_all(self) -> bool:
        if not self.marker:
            return True
        try:
            Path(self.marker).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


# Cached, since the passes of a process must be counted over calls.
@functools.cache
def _planned(text: str) -> tuple[_Planned, ...]:
    return tuple(_parse(part) for part in text.split(",") if part)


def _parse(part: str) -> _Planned:
    point, action, *rest = part.split(":", 3)
    nth = rest[0] if rest else "1"
    return _Planned(point, action, None if nth == "*" else int(nth), marker=rest[1] if len(rest) > 1 else "")


def _signal(name: str) -> Callable[[str], None]:
    return lambda point: os.kill(os.getpid(), getattr(signal, name))


def _raise(point: str) -> None:
    raise RuntimeError(f"fault injected at {point}")


def _no_space(point: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), point)


_ACTIONS: Mapping[str, Callable[[str], None]] = {
    "kill": _signal("SIGKILL"),
    "stop": _signal("SIGSTOP"),
    "segv": _signal("SIGSEGV"),
    "abort": lambda point: os.abort(),
    "raise": _raise,
    "enospc": _no_space,
}


def temporary_name(target: str) -> str:
    """A name for this process and moment alone."""
    return f"{TEMPORARY}{target}-{unique_suffix()}"


def unique_suffix() -> str:
    """Of this process and moment alone."""
    return f"{os.getpid()}-{time.time_ns()}"


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
    """Put new content under a name: a reader sees the old or the new, never a part. OSError leaves the old one.

    Once it has the name it counts: where the folder cannot be synced, a power cut may still bring the old one back.
    """
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
    with contextlib.suppress(OSError):
        fsync_folder(path.parent)


def make_folder(path: Path) -> None:
    """The folder with all its parents, each new name on disk before the next. Raises OSError."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    try:
        path.mkdir()
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    sync_or_undo("folder.fsync_parent", path.parent, path.rmdir)


def sync_or_undo(point: str, folder: Path, undo: Callable[[], object]) -> None:
    """Put the name just given in the folder on disk; where that fails, take it back and raise OSError.

    So what has failed is not there. One that cannot be taken back counts as done.
    """
    try:
        fault(point)
        fsync_folder(folder)
    except OSError:
        try:
            undo()
        except OSError:
            return
        raise


def fsync_folder(path: Path) -> None:
    """Put the folder's names on disk. Windows has no such call: there the rename itself is the promise."""
    if sys.platform == "win32":
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
