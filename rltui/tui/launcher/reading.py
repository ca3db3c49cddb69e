"""Reading: the launcher's disk read in a thread, one look at a time; then the profiles that a child has to judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rltui.tui.launcher.branches import FIRST_PROFILE
from rltui.tui.messages import CatalogReady

if TYPE_CHECKING:
    from rltui.tui.launcher.catalog import Catalog
    from rltui.tui.launcher.catalog_reader import CatalogReader
    from rltui.tui.screens.launcher import LauncherScreen


class Reading:
    """Tells the screen by CatalogReady, whenever more is known."""

    def __init__(self, screen: LauncherScreen, reader: CatalogReader) -> None:
        self._screen, self._reader = screen, reader
        self._busy = False

    def look(self) -> None:
        """Once more, unless a look is under way."""
        if not self._busy:
            self._busy = True
            self._screen.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        """In a thread: everything that is quick first, then what has to be judged."""
        screen = self._screen
        try:
            catalog = self._reader.read()
            screen.post_message(CatalogReady(catalog))
            while screen.is_running and (more := self._reader.read_further()) is not None:
                screen.post_message(CatalogReady(catalog := more))
            while screen.is_running and (path := self._next_to_judge(catalog)) is not None:
                catalog = self._reader.check_one(path)
                screen.post_message(CatalogReady(catalog))
        finally:
            self._busy = False

    def _next_to_judge(self, catalog: Catalog) -> Path | None:
        """The profile under the cursor first; None where all are judged."""
        open_ones = [profile.path for profile in catalog.profiles if profile.check is None]
        shown = self._screen.details.item
        if shown is None:  # where the cursor will start
            wanted = [path for path in open_ones if path.stem == FIRST_PROFILE]
        else:
            wanted = [path for path in open_ones if str(path) == shown.name]
        return next(iter([*wanted, *open_ones]), None)
