"""The launcher's first line and its right side."""

from __future__ import annotations

from collections.abc import Callable

from rltui.tui.launcher import offer_words
from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.catalog_tree import Item
from rltui.tui.paint import Line
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.scrolled import Scrolled


class Title(Painted):
    """The first line: the program and what the data folder holds."""

    def __init__(self) -> None:
        super().__init__(name="title")
        self.catalog: Catalog | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return [offer_words.title_line(self.catalog, width)]


class Details(Scrolled):
    """The right side. The launcher sets what it says."""

    def __init__(self, words: Callable[[int], list[Line]]) -> None:
        super().__init__(name="details", classes="pane")
        self._words = words
        self.item: Item | None = None  # what it is about

    def about(self, item: Item | None) -> None:
        """From its first line, where that is another thing than before."""
        self.border_title = offer_words.heading(item)
        if item != self.item:
            self.item, self.first = item, 0
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)
