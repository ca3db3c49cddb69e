"""The lock of a run, held by its trainer for life; whether a data folder can be written in."""

from __future__ import annotations

import contextlib
import errno
import getpass
import os
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.formatting import utc
from rltui.runs.atomic import TEMPORARY, make_folder, replace_file
from rltui.runs.paths import DataDir, RunPaths

_PATIENCE = 0.25  # seconds; a reader that asks who holds the lock holds it for microseconds
_NAMING = 2.0  # seconds more for the winner to write its name
_LONGEST_NUMBER = 18  # bytes
_BUSY = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
_HINTS = {
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "your quota on that disk is used up: make room",
    errno.EROFS: "mount that disk writable",
}


class Holder(msgspec.Struct, frozen=True):
    """Who trains a run. Unknown is None."""

    pid: int | None = None
    host: str | None = None
    since: float | None = None  # Unix seconds

    def __str__(self) -> str:
        pid = "unknown" if self.pid is None else str(self.pid)
        since = "" if self.since is None else f" since {utc(self.since)}"
        return f"pid {pid} on {self.host or 'unknown host'}{since}"


class RunLock:
    """The right to train a run. The system frees it when the process ends, however it ends; lock.json only informs."""

    def __init__(self, paths: RunPaths) -> None:
        self._paths = paths
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock, to be held until `release` or the end of the process.

        Raises RltuiError (exit 1) naming pid, host and since when another trainer holds it; nothing is written then.
        """
        if self._descriptor is not None:
            return
        try:
            make_folder(self._paths.folder)
            descriptor = _open(self._paths.lock)
        except OSError as error:
            where, why = error.filename or self._paths.lock, safe_io.reason(error)
            hint = "repair or move it, or choose another data folder: --data-dir DIR"
            raise RltuiError(f"cannot lock run {self._paths.name!r}: {where}: {why}", hint) from error
        try:
            self._wait(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        me = Holder(os.getpid(), socket.gethostname(), time.time())
        with contextlib.suppress(OSError):  # only informs: a full disk must not keep a trainer from starting
            replace_file(self._paths.lock_json, msgspec.json.encode(me) + b"\n")

    def release(self) -> None:
        """Free the lock; nothing happens where it is not held."""
        if self._descriptor is None:
            return
        with contextlib.suppress(OSError):  # only informs
            self._paths.lock_json.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def __enter__(self) -> RunLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _wait(self, descriptor: int) -> None:
        start = time.monotonic()
        while not _try_lock(descriptor, self._paths.lock):
            waited = time.monotonic() - start
            named = _named(self._paths)
            if waited > _PATIENCE and (named.pid is not None or waited > _PATIENCE + _NAMING):
                raise RltuiError(
                    f"run {self._paths.name!r} is being trained already: {named}",
                    f"watch it: rltui attach {self._paths.name}\nor train another: --run NAME",
                )
            time.sleep(random.uniform(0.002, 0.01))


def claim_run(paths: RunPaths) -> bool:
    """Make a new run's folder, as one alone can; False where another has made it since the name was found free.

    What else keeps it from being made, `RunLock.acquire` says.
    """
    try:
        make_folder(paths.folder.parent)
        paths.folder.mkdir()
    except OSError:
        return not paths.exists()
    return True


def count_start(paths: RunPaths) -> int:
    """Give a start the next number of the data folder: what started last is told by it, whatever the clocks say. Returns it.

    Called by the holder of the run's lock. Raises OSError.
    """
    with alone(paths.data.runs):
        number = newest_start(paths.data) + 1
        replace_file(paths.start, f"{number}\n".encode())
    return number


def newest_start(data: DataDir) -> int:
    """The highest number that a start has; 0 before there is one."""
    return max((start_number(data.run(name)) for name in data.run_names()), default=0)


def start_number(paths: RunPaths) -> int:
    """Of the run's newest start; 0 where it is not known, as of runs that are older than these numbers."""
    try:
        return int(safe_io.read_text(paths.start, _LONGEST_NUMBER))
    except (OSError, ValueError):
        return 0


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """No other process is in the folder's block meanwhile, so that no change is lost. Windows cannot lock a folder. Raises OSError."""
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


def lock_holder(paths: RunPaths) -> Holder | None:
    """Who holds the run's lock now; None where nobody does."""
    try:
        descriptor = _open(paths.lock, create=False)
    except OSError:
        return None
    try:
        return None if _try_lock(descriptor, paths.lock, shared=True) else _named(paths)
    except RltuiError:
        return None
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def no_new_trainer(paths: RunPaths) -> Iterator[bool]:
    """Holds the run's lock, for an act that no trainer may start in; where one holds it already, yields True instead.

    RltuiError where it cannot be locked.
    """
    lock = RunLock(paths)
    if lock_holder(paths) is None:
        try:
            lock.acquire()
        except RltuiError:
            if lock_holder(paths) is None:
                raise
    try:
        yield not lock.held
    finally:
        lock.release()


def _named(paths: RunPaths) -> Holder:
    """What lock.json says; an empty Holder where it says nothing, or names a process of this host that is gone."""
    try:
        found = msgspec.json.decode(safe_io.read_bytes(paths.lock_json), type=Holder)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Holder()
    gone = found.host == socket.gethostname() and found.pid is not None and not _alive(found.pid)
    return Holder() if gone else found


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # os.kill would end it
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _open(path: Path, create: bool = True) -> int:
    """Not inherited by children, so that no worker keeps a dead trainer's lock."""
    return safe_io.open_descriptor(path, os.O_RDWR | (os.O_CREAT if create else 0))


def _try_lock(descriptor: int, path: Path, shared: bool = False) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise RltuiError(
            f"cannot lock {path}: {error.strerror or error}",
            "choose a data folder on a disk that can lock files: --data-dir DIR",
        ) from error
    return True


def check_writable(data: DataDir, run: str | None = None) -> None:
    """Create the data folder where it is missing and try to write in it and in what is there of the run.

    Raises RltuiError (exit 1) naming the path and why; where rights are missing, its owner and who asked.
    """
    try:
        data.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(_nearest(data.root), error) from error
    places = [data.root, data.runs, data.checkpoints, data.milestones, data.checkpoints / ".saving"]
    if run is not None:
        paths = data.run(run)
        places += [paths.folder, paths.checkpoints, paths.milestones]
    for place in places:
        _try(place)
    if run is not None:
        _try_files(data.run(run))


def _try(folder: Path) -> None:
    """Make and remove one folder with one file; a place that is not there yet is its parent's matter."""
    try:
        if not os.path.lexists(folder):
            return
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as inside:
            (Path(inside) / "file").write_bytes(b"1")
    except OSError as error:
        raise _refusal(folder, error) from error


def _try_files(paths: RunPaths) -> None:
    """The files that a trainer goes on writing must be its own to write, too."""
    for path in (paths.journal, paths.log, paths.lock, paths.profile):
        try:
            if os.path.lexists(path):
                safe_io.open_to_append(path).close()
        except OSError as error:
            raise _refusal(path, error) from error


def _nearest(path: Path) -> Path:
    """The path itself where there is something, else its nearest parent that is there."""
    return path if os.path.lexists(path) or path.parent == path else _nearest(path.parent)


def _refusal(path: Path, error: OSError) -> RltuiError:
    """Whose it is matters only where that is why."""
    reason, me = error.strerror or str(error), _user()
    way = _HINTS.get(error.errno or 0, "repair it")
    if error.errno in (errno.EACCES, errno.EPERM):
        reason += f" (it belongs to {_owner(path)}; you are {me})"
        way = f"give {me} the right to write there"
    return RltuiError(f"cannot write in {path}: {reason}", f"{way}, or choose another data folder: --data-dir DIR")


def _user() -> str:
    if sys.platform == "win32":
        return getpass.getuser()
    return _name(os.geteuid())


def _owner(path: Path) -> str:
    if sys.platform == "win32":
        return "an unknown owner"
    try:
        return _name(path.stat().st_uid)
    except OSError:
        return "an unknown owner"


def _name(uid: int) -> str:
    if sys.platform == "win32":
        return str(uid)
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
