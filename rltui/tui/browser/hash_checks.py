"""Whose hashes have been compared: read to the last byte in a thread, one saved state at a time, remembered here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from rltui.runs.checkpoint import NAME, damage

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
        found, folder = (path / NAME).stat(), path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, folder.st_mtime_ns
