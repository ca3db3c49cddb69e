"""Verifying: saved states read to their last byte, in one thread, state after state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rltui.tui.browser.hash_checks import HashChecks
from rltui.tui.browser.library import Entry
from rltui.tui.browser.messages import HashesChecked

if TYPE_CHECKING:
    from textual.screen import Screen


class Verifying:
    """Tells the screen after each state. While it reads, nothing more is taken on."""

    def __init__(self, screen: Screen[None], checks: HashChecks) -> None:
        self._screen, self._checks = screen, checks
        self.busy = False

    def check_rested(self, entry: Entry | None) -> None:
        """The cursor has stood still on this one."""
        if entry is not None and entry.usable and self._checks.verdict(entry.path)[0] == "unchecked":
            self.verify([entry])

    def verify(self, entries: Sequence[Entry]) -> None:
        """All of these."""
        if not self.busy and entries:
            self.busy = True
            self._screen.run_worker(lambda: self._read(entries), thread=True, exit_on_error=False)

    def _read(self, entries: Sequence[Entry]) -> None:
        """In a thread; the screen may have gone meanwhile."""
        try:
            for entry in entries:
                if not self._screen.is_attached:
                    return
                self._checks.check(entry.path)
                self._screen.post_message(HashesChecked())
        finally:
            self.busy = False
