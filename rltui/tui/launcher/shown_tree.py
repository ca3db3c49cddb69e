"""ShownTree: the rows of the launcher's left side, folded and filtered, and where the cursor stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rltui.tui.launcher.branches import Branches
from rltui.tui.launcher.catalog_tree import HEADINGS, Item
from rltui.tui.pattern import Pattern
from rltui.tui.widgets.filter_line import FilterLine
from rltui.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from rltui.tui.launcher.catalog import Catalog
    from rltui.tui.launcher.editing import Editing
    from rltui.tui.screens.launcher import LauncherScreen

NARROWEST = 20  # columns that rows are made for before the list has a size


class ShownTree:
    """Of the launcher's screen. The filter line asks it for what is left."""

    def __init__(self, screen: LauncherScreen, editing: Editing) -> None:
        self._screen, self._editing = screen, editing
        self._branches = Branches()

    @property
    def list(self) -> RowList:
        return self._screen.query_one("#tree", RowList)

    @property
    def item(self) -> Item | None:
        """What the cursor stands on; None where the list has gone, as a timer may find it when the program ends."""
        tree = next(iter(self._screen.query("#tree").results(RowList)), None)
        return tree.key if tree is not None and isinstance(tree.key, Item) else None

    def renewed(self, catalog: Catalog) -> None:
        """Another catalogue is there."""
        self._branches.close_new(catalog)

    def show(self) -> None:
        """The list again. The cursor goes to a profile that was just written."""
        catalog = self._screen.catalog
        if catalog is None:
            return
        found = self._branches.rows(catalog, max(self.list.size.width, NARROWEST))
        goes = self._branches.cursor(found, self.list.key, self._editing.wanted)
        if goes is not None and goes.name == str(self._editing.wanted):
            self._editing.wanted = None
        self.list.set_rows(found, goes)
        self._screen.query_one(FilterLine).tell()

    def fold(self) -> None:
        """Open what is closed under the cursor, close what is open."""
        item = self.item
        if item is not None and item.kind in HEADINGS:
            self._branches.fold(item)
            self.show()

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """What is left of the list."""
        catalog = self._screen.catalog
        if catalog is not None and not pattern.text:
            self._branches.open_to(catalog, goes or self.item)
        self._branches.pattern = pattern
        self.show()
        self.list.set_rows(self.list.rows, goes)

    def found(self) -> tuple[Sequence[object], int]:
        """What the filter leaves, of how many."""
        catalog = self._screen.catalog
        return self._branches.found(catalog, self.list.rows) if catalog is not None else ((), 0)
