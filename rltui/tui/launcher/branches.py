"""Branches: the launcher's rows as the catalogue, what is folded and the filter make them, and where the cursor starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.content import Content

from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.catalog_tree import HEADINGS, PROFILES, Item, filtered, first_match, groups, rows
from rltui.tui.paint import clean
from rltui.tui.pattern import Pattern
from rltui.tui.widgets.row_list import Row

FIRST_PROFILE = "quick"  # where the cursor starts: the one for a first bot


class Branches:
    """Which of the rows are there. filter: what they must match, as typed. before: where the cursor stood
    when its line was opened.
    """

    def __init__(self) -> None:
        self.filter = ""
        self.before: Item | None = None
        self._folded: set[Item] = set()
        self._grouped: set[Item] = set()  # groups seen: a new one starts closed unless it is the first

    @property
    def subtitle(self) -> Content:
        """The filter, for the list's border, or why it is no regular expression."""
        problem = Pattern(self.filter).problem
        if problem:
            return Content.assemble((f"✗ no regular expression: {clean(problem)}", "$error"))
        return Content(f"filter: {clean(self.filter)}" if self.filter else "")

    def first_found(self, found: Sequence[Row]) -> Item | None:
        """Where the cursor goes as the filter is typed; None for where it is."""
        return first_match(found) if self.filter and not Pattern(self.filter).problem else None

    def close_new(self, catalog: Catalog) -> None:
        """Groups of milestones that have come."""
        for index, (item, _, _) in enumerate(groups(catalog)):
            if item not in self._grouped and (self._grouped or index):
                self._folded.add(item)
            self._grouped.add(item)

    def fold(self, item: Item) -> None:
        """Open what is closed, close what is open."""
        self._folded ^= {item}

    def rows(self, catalog: Catalog, width: int) -> list[Row]:
        return filtered(rows(catalog, frozenset(self._folded), width), self.filter)

    def cursor(self, found: Sequence[Row], here: object, wanted: Path | None) -> Item | None:
        """Where it goes; None for where it is. wanted: a profile that was just written."""
        profiles = [row.key for row in found if isinstance(row.key, Item) and row.key.kind == "profile"]
        new = Item("profile", str(wanted)) if wanted else None
        if new is not None and new in profiles:
            return new
        if self.filter and isinstance(here, Item) and here.kind in HEADINGS:  # typed before the list was there
            return first_match(found)
        if here is not None:
            return None
        return next((item for item in profiles if Path(item.name).stem == FIRST_PROFILE), (*profiles, PROFILES)[0])
