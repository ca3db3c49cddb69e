"""Hash checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from rltui.runs.checkpoint import MANIFEST, damage
from rltui.tui.browser.library import CheckpointRow

if TYPE_CHECKING:
    from textual.screen import Screen


Verdict = Literal["unchecked", "checking", "sound", "damaged", "gone"]
Stamp = tuple[int, int, int]


class HashChecks:
    """Asked from the screen, answered from a thread. What has changed on disk since is unchecked again."""

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
    """Those of another state have been compared."""


class Verifying:
    """Tells the screen after each state. What is asked for while it reads comes next; of several such, the newest."""

    def __init__(self, screen: Screen[None], checks: HashChecks) -> None:
        self._screen, self._checks = screen, checks
        self._waiting: Sequence[CheckpointRow] = ()
        self._lock = Lock()  # of the two that say what is to be read
        self.busy = False

    def check_rested(self, entry: CheckpointRow | None) -> None:
        """The cursor has stood still on this one."""
        if entry is not None and entry.usable and self._checks.verdict(entry.path)[0] == "unchecked" and not self.busy:
            self.verify([entry])

    def verify(self, entries: Sequence[CheckpointRow]) -> None:
        """All of these."""
        if not entries:
            return
        with self._lock:
            self._waiting = entries
            if self.busy:
                return
            self.busy = True
        self._screen.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        """In a thread; the screen may have gone meanwhile."""
        try:
            while entries := self._next():
                for entry in entries:
                    if not self._screen.is_attached:
                        break
                    self._checks.check(entry.path)
                    self._screen.post_message(HashesChecked())
        except BaseException:
            with self._lock:
                self.busy = False
            raise

    def _next(self) -> Sequence[CheckpointRow]:
        with self._lock:
            entries, self._waiting = self._waiting, ()
            self.busy = bool(entries)
        return entries
