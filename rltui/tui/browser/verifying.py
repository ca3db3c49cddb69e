"""Verifying: saved states read to their last byte, in one thread, state after state."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from rltui.tui.browser.hash_checks import HashChecks
from rltui.tui.browser.library import Entry
from rltui.tui.browser.messages import HashesChecked

if TYPE_CHECKING:
    from textual.screen import Screen


class Verifying:
    """Tells the screen after each state. What is asked for while it reads comes next; of several such, the newest."""

    def __init__(self, screen: Screen[None], checks: HashChecks) -> None:
        self._screen, self._checks = screen, checks
        self._waiting: Sequence[Entry] = ()
        self._lock = Lock()  # of the two that say what is to be read
        self.busy = False

    def check_rested(self, entry: Entry | None) -> None:
        """The cursor has stood still on this one."""
        if entry is not None and entry.usable and self._checks.verdict(entry.path)[0] == "unchecked" and not self.busy:
            self.verify([entry])

    def verify(self, entries: Sequence[Entry]) -> None:
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

    def _next(self) -> Sequence[Entry]:
        with self._lock:
            entries, self._waiting = self._waiting, ()
            self.busy = bool(entries)
        return entries
