"""Shelves: the browser's tree: which part of it the table shows, which runs are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.browser import shelf_tree
from rltui.tui.browser.library import ALL, Node
from rltui.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from rltui.tui.screens.browser import BrowserScreen

NARROWEST = 20  # columns that rows are made for before the list has a size


class Shelves:
    """node: whose entries the table shows."""

    def __init__(self, screen: BrowserScreen, run: str) -> None:
        """run: to begin with; empty for everything."""
        self._screen = screen
        self._folded: set[Node] = set()
        self.node: Node = Node("run", run) if run else ALL

    @property
    def list(self) -> RowList:
        return self._screen.query_one("#shelves", RowList)

    def show(self) -> None:
        """The tree again, with the cursor on its node."""
        width = max(self.list.size.width, NARROWEST)
        self.list.set_rows(shelf_tree.rows(self._screen.library, frozenset(self._folded), width), self.node)

    def goes_to(self, node: Node) -> bool:
        """The cursor has moved there. False where the table stays: the node asked for at first is yet to be read, or the
        cursor has moved on meanwhile.
        """
        there = any(row.key == self.node for row in self.list.rows)
        soon = not self._screen.library.complete and not there
        if node == self.node or soon or node != self.list.key:
            return False
        self.node = node
        return True

    def fold(self) -> bool:
        """Fold the run under the cursor, or open it; False where it is none."""
        node = self.list.key
        if not isinstance(node, Node) or node.kind != "run":
            return False
        self._folded ^= {node}
        return True
