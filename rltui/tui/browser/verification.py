"""Comparing the hashes of saved states: what is known of each, and what is to be read next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Literal

from textual.message import Message

from rltui.runs.checkpoint import MANIFEST, damage

Verdict = Literal["unchecked", "checking", "sound", "damaged", "gone"]
Stamp = tuple[int, int, int]


class HashChecks:
    """Cache of verdicts, asked from the screen, filled from a thread. What has changed on disk since is unchecked again."""

    def __init__(self, damage_of: Callable[[Path], str | None] = lambda path: damage(path, thorough=True)) -> None:
        self._damage_of = damage_of
        self._done: dict[Path, tuple[Stamp | None, str | None]] = {}
        self._gone: set[Path] = set()
        self.checking: Path | None = None

    def verdict(self, path: Path) -> tuple[Verdict, str]:
        """And the reason where it is damaged."""
        if path in self._gone:
            return "gone", ""
        stamp, reason = self._done.get(path, (None, None))
        if reason is not None and stamp == _stamp(path):
            return "damaged", reason
        if reason is not None:
            self.forget(path)  # something else lies there now
        elif path in self._done:
            return "sound", ""
        return ("checking" if self.checking == path else "unchecked"), ""

    def check(self, path: Path) -> None:
        """In a thread; returns at once for one that was sound and has not changed since."""
        stamp = _stamp(path)
        known = self._done.get(path)
        if known == (stamp, None):
            return
        self.forget(path)
        self.checking = path
        try:
            reason = self._damage_of(path)
            if reason is not None and not path.is_dir():
                self._gone.add(path)
            else:
                self._done[path] = stamp, reason
        finally:
            self.checking = None

    def forget(self, path: Path) -> None:
        """It has gone, or something else is to lie there."""
        self._done.pop(path, None)
        self._gone.discard(path)


def _stamp(path: Path) -> Stamp | None:
    try:
        found, folder = (path / MANIFEST).stat(), path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, folder.st_mtime_ns


class HashesChecked(Message):
    """The hashes of another saved state have been compared."""


class VerificationQueue:
    """Paths to be read by one thread. What is asked for while it reads comes next; of several such, the newest."""

    def __init__(self, checks: HashChecks) -> None:
        self._checks = checks
        self._waiting: Sequence[Path] = ()
        self._lock = Lock()  # of the two that say what is to be read
        self.busy = False

    def put(self, paths: Sequence[Path]) -> bool:
        """Whether a thread has to be started that calls `read`."""
        if not paths:
            return False
        with self._lock:
            self._waiting = paths
            idle, self.busy = not self.busy, True
        return idle

    def read(self, wanted: Callable[[], bool]) -> Iterator[Path]:
        """Each path once its hashes have been compared, until nothing waits. wanted: False ends it."""
        try:
            while paths := self._take():
                for path in paths:
                    if not wanted():
                        break
                    self._checks.check(path)
                    yield path
        except BaseException:
            with self._lock:
                self.busy = False
            raise

    def _take(self) -> Sequence[Path]:
        with self._lock:
            paths, self._waiting = self._waiting, ()
            self.busy = bool(paths)
        return paths
