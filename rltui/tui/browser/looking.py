"""Looking: the disk read in a thread, one look at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.browser.library import Library
from rltui.tui.browser.library_reader import LibraryReader
from rltui.tui.browser.messages import LibraryReady

if TYPE_CHECKING:
    from rltui.tui.screens.browser import BrowserScreen


class Looking:
    """Tells the screen what it has found, in pieces as long as the screen has nothing whole."""

    def __init__(self, screen: BrowserScreen, reader: LibraryReader) -> None:
        self._screen, self._reader = screen, reader
        self._busy = self._again = False

    def look(self) -> None:
        """Once more afterwards where a look is under way, for it may have missed what is new."""
        self._again = self._busy
        if not self._busy:
            self._busy = True
            self._screen.run_worker(self._read, thread=True, exit_on_error=False)

    def arrived(self, library: Library) -> None:
        """The screen has heard of this one."""
        if library.complete and self._again:
            self.look()

    def _read(self) -> None:
        try:
            for library in self._reader.read():
                if library.complete or not self._screen.library.complete:
                    self._screen.post_message(LibraryReady(library))
        finally:
            self._busy = False
