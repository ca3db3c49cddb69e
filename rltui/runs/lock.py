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
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError, hints
from rltui.events.records import RunStarted
from rltui.formatting import ago, duration, utc
from rltui.runs.atomic import TEMPORARY, make_folder, remove_tree, replace_file
from rltui.runs.journal import read_journal
from rltui.runs.paths import DataDir, RunPaths

_PATIENCE = 0.25  # seconds; a reader that asks who holds the lock holds it for microseconds
_NAMING = 2.0  # seconds more for the winner to write its name
_LONGEST_NUMBER = 18  # bytes
BEAT = 10.0  # seconds between two signs of life of a trainer, each of which touches lock.json
STALE = 60.0  # seconds without one, after which a trainer that no lock but only lock.json names is taken to be gone
_BUSY = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
_HINTS = {
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "your quota on that disk is used up: make room",
    errno.EROFS: "mount that disk writable",
}


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who trains a run. Unknown is None.

    alive, written: seconds since its last sign of life and since the journal was written, of one that lock.json alone names:
    it trains on another host, whose locks have no effect here. None where it holds the lock.
    """

    pid: int | None = None
    host: str | None = None
    since: float | None = None  # Unix seconds
    alive: float | None = None
    written: float | None = None

    def __str__(self) -> str:
        pid = "unknown" if self.pid is None else str(self.pid)
        since = "" if self.since is None else f" since {utc(self.since)}"
        told = f", last sign of life {ago(self.alive)}, journal written {ago(self.written)}" if self.by_name else ""
        return f"pid {pid} on {self.host or 'unknown host'}{since}{told}"

    @property
    def by_name(self) -> bool:
        """Whether lock.json alone names it."""
        return self.alive is not None


class RunLock:
    """The right to train a run. The system frees it when the process ends, however it ends.

    Between hosts a lock may have no effect: there lock.json says who trains, and `watch` keeps it fresh.
    """

    def __init__(self, paths: RunPaths, take_over: bool = False) -> None:
        """take_over: also from a trainer that lock.json alone names and that gives signs of life."""
        self._paths, self._take_over = paths, take_over
        self._descriptor: int | None = None
        self._me: Holder | None = None  # as lock.json has it
        self._released = threading.Event()
        self.notice = ""  # whose lock was taken over, and why

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock, to be held until `release` or the end of the process.

        Raises RltuiError (exit 1) naming pid, host and since when another trainer holds it; nothing is written then. One that
        is taken over and lives has noticed it when this returns.
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
            makes_way = self._find_left()
            me = Holder(os.getpid(), socket.gethostname(), time.time())
            with contextlib.suppress(OSError):  # a full disk must not keep a trainer from starting
                replace_file(self._paths.lock_json, msgspec.json.encode(me) + b"\n")
                self._me = me
            if makes_way is not None:
                self._wait_for(makes_way)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._released.clear()

    def watch(self, on_lost: Callable[[Holder], None]) -> None:
        """From now on give signs of life: the start is counted. on_lost: called once, on a thread, when another trainer has
        taken the run over.
        """
        number = start_number(self._paths)
        threading.Thread(target=self._beat, args=(number, on_lost), name="lock", daemon=True).start()

    def _beat(self, number: int, on_lost: Callable[[Holder], None]) -> None:
        while self._me is not None and not self._released.wait(BEAT):
            found = _read(self._paths)
            if found not in (Holder(), self._me) or start_number(self._paths) > number:
                on_lost(found)
                return
            with contextlib.suppress(OSError):
                if found == self._me:
                    os.utime(self._paths.lock_json)
                else:  # gone: with one that has taken it for stale and was refused
                    replace_file(self._paths.lock_json, msgspec.json.encode(self._me) + b"\n")

    def release(self) -> None:
        """Free the lock; nothing happens where it is not held. After a take-over its name stays for the start that follows: whom
        it was taken from must find it, however late.
        """
        if self._descriptor is None:
            return
        self._released.set()
        if not self._take_over and _read(self._paths) in (Holder(), self._me):
            with contextlib.suppress(OSError):  # in time it is stale
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
                raise being_trained(self._paths, named)
            time.sleep(random.uniform(0.002, 0.01))

    def _find_left(self) -> Holder | None:
        """Whom lock.json names: one that lives and has to make way. RltuiError where it has not to."""
        found = _with_ages(self._paths, _read(self._paths), _now_there(self._paths.lock))
        if found.pid is None or _is_me(found):
            return None
        lives = not _gone(found) and found.alive is not None and found.alive < STALE
        if lives and not self._take_over:
            raise being_trained(self._paths, found)
        why = "--take-over" if lives else "its process is gone" if _gone(found) else "it gives no sign of life"
        self.notice = f"lock taken over from {found}: {why}"
        return found if lives else None

    def _wait_for(self, other: Holder) -> None:
        """Until the trainer that makes way has noticed it, so that there are never two."""
        safe_io.say(f"taking over from {other}: waiting {duration(1.5 * BEAT)} until it has noticed")
        time.sleep(1.5 * BEAT)
        if (found := _read(self._paths)) != self._me:
            raise being_trained(self._paths, found)


def being_trained(paths: RunPaths, trainer: Holder, other: str = "--run NAME") -> RltuiError:
    """Why a run cannot be trained now. other: what to type to train another."""
    return RltuiError(
        f"run {paths.name!r} is being trained already: {trainer}",
        hints(
            f"watch it: rltui attach {paths.name}",
            f"or train another: {other}",
            "if that trainer is gone, or shall make way: --take-over" if trainer.by_name else "",
        ),
    )


def claim_run(paths: RunPaths) -> bool:
    """Make a new run's folder, as one alone can; False where another has made it since the name was found free.

    What else keeps it from being made, `RunLock.acquire` says.
    """
    try:
        make_folder(paths.folder.parent)
        paths.folder.mkdir()
    except OSError:
        return not paths.exists()
    with contextlib.suppress(OSError):
        make_folder(paths.data.taken / paths.name)
    return True


def undo_start(paths: RunPaths, kind: type[BaseException] | None, *_: object) -> None:
    """Exit callback, once the lock is free again: a start that was refused leaves no run behind in which nothing has begun."""
    if kind is None or lock_holder(paths) is not None:
        return
    if not any(isinstance(record, RunStarted) for record in read_journal(paths.journal)):
        remove_tree(paths.folder)


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
    """Who trains the run now: holds its lock, or is named by lock.json and has given a sign of life of late. None: nobody."""
    try:
        descriptor = _open(paths.lock, create=False)
    except OSError:
        return None
    try:
        if not _try_lock(descriptor, paths.lock, shared=True):
            return _named(paths)
        found = _with_ages(paths, _named(paths), time.time())
        return found if found.alive is not None and found.alive < STALE and not _is_me(found) else None
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
    found = _read(paths)
    return Holder() if _gone(found) else found


def _read(paths: RunPaths) -> Holder:
    try:
        return msgspec.json.decode(safe_io.read_bytes(paths.lock_json), type=Holder)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Holder()


def _gone(holder: Holder) -> bool:
    return holder.host == socket.gethostname() and holder.pid is not None and not _alive(holder.pid)


def _is_me(holder: Holder) -> bool:
    return (holder.pid, holder.host) == (os.getpid(), socket.gethostname())


def _with_ages(paths: RunPaths, named: Holder, now: float) -> Holder:
    """now: by the clock that files get their times from."""
    if named.pid is None:
        return named
    written, touched = _age(paths.journal, now), _age(paths.lock_json, now)
    known = [age for age in (written, touched) if age is not None]
    return msgspec.structs.replace(named, alive=min(known, default=None), written=written)


def _age(path: Path, now: float) -> float | None:
    try:
        return max(now - path.stat().st_mtime, 0.0)
    except OSError:
        return None


def _now_there(file: Path) -> float:
    """Unix seconds by the clock of the machine that has the file: another host's may be wrong."""
    try:
        os.utime(file)
        return file.stat().st_mtime
    except OSError:
        return time.time()


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


def check_writable(data: DataDir, run: str | None = None, *, make: bool = True) -> None:
    """Try to write in the data folder and in what is there of the run, and to lock where runs are locked. A folder that is
    missing is made; with `make` False what it would be made in is tried.

    Raises RltuiError (exit 1) naming the path and why; where rights are missing, its owner and who asked.
    """
    try:
        if make:
            data.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(_nearest(data.root), error) from error
    locked, places = [_nearest(data.root), data.runs], [data.checkpoints, data.milestones, data.checkpoints / ".saving"]
    if run is not None:
        paths = data.run(run)
        locked.append(paths.folder)
        places += [paths.checkpoints, paths.milestones]
    for place in locked:
        _try(place, locks=True)
    for place in places:
        _try(place)
    if run is not None:
        _try_files(data.run(run))


def _try(folder: Path, *, locks: bool = False) -> None:
    """Make and remove one folder with one file, which can be locked; a place that is not there yet is its parent's matter."""
    try:
        if not os.path.lexists(folder):
            return
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as inside:
            file = Path(inside) / "file"
            file.write_bytes(b"1")
            if locks:
                descriptor = _open(file)
                try:
                    _try_lock(descriptor, folder)
                finally:
                    os.close(descriptor)
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
