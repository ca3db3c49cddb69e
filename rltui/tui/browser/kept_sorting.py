"""The order of the browser's table, kept from one time that it is open to the next, and in ui.toml beyond the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

from rltui.tui.browser.state_table import Sorting
from rltui.tui.settings.ui_settings import Sort, UiSettings
from rltui.tui.settings.ui_toml import save_order

COLUMNS: Mapping[Sort, str] = {
    "timesteps": "1", "reward": "2", "entropy": "3", "kl": "4", "age": "5", "size": "6", "marks": "8", "note": "9",
}  # fmt: skip


class KeptSorting:
    """order: as it was last sorted. soon: called with what writes it, which takes too long for a key."""

    def __init__(
        self,
        settings: UiSettings | None = None,
        path: Path | None = None,
        soon: Callable[[Callable[[], None]], None] = lambda write: None,
    ) -> None:
        settings = settings or UiSettings()
        self.order = Sorting(COLUMNS[settings.sort], settings.descending)
        self._path, self._soon, self._writes = path, soon, Lock()

    def sort(self, key: str) -> Sorting:
        """By the column with this digit; again turns the order round."""
        self.order = self.order.pressed(key)
        self._soon(self._write)
        return self.order

    def _write(self) -> None:
        """The order of now: of several presses the newest comes last. RltuiError where it cannot be written."""
        with self._writes:
            order = self.order
            sort = next(name for name, key in COLUMNS.items() if key == order.key)
            if self._path is not None:
                save_order(self._path, sort, order.descending)
