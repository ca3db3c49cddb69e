"""Branches: the launcher's rows as the catalogue, what is folded and the filter make them, and where the cursor starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.catalog_tree import (
    HEADINGS,
    PROFILES,
    Item,
    filtered,
    first_match,
    groups,
    holding,
    matchable,
    rows,
)
from rltui.tui.pattern import Pattern
from rltui.tui.widgets.row_list import Row

FIRST_PROFILE = "quick"  # where the cursor starts: the one for a first bot


class Branches:
    """Which of the rows are there. pattern: what they must match, whatever is folded."""

    def __init__(self) -> None:
        self.pattern = Pattern()
        self._folded: set[Item] = set()
        self._grouped: set[Item] = set()  # groups seen: a new one starts closed unless it is the first

    @property
    def filtered(self) -> bool:
        return bool(self.pattern.text)

    def found(self, catalog: Catalog, shown: Sequence[Row]) -> tuple[list[object], int]:
        """(keys of those that match, how many there are)."""
        every = rows(catalog, frozenset(), 40)
        return [row.key for row in shown if matchable(row)], sum(matchable(row) for row in every)

    def open_to(self, catalog: Catalog, item: object) -> None:
        """Whatever hides this row."""
        if isinstance(item, Item):
            self._folded -= holding(catalog, item)

    def close_new(self, catalog: Catalog) -> None:
        """Groups of milestones that have come."""
        for index, (item, _, _) in enumerate(groups(catalog)):
            if item not in self._grouped and (self._grouped or index):
                self._folded.add(item)
            self._grouped.add(item)

    def fold(self, item: Item) -> None:
        """Open what is closed, close what is open; what is filtered is all open."""
        self._folded ^= {item} if not self.filtered else set()

    def rows(self, catalog: Catalog, width: int) -> list[Row]:
        closed = frozenset() if self.filtered else frozenset(self._folded)
        return filtered(rows(catalog, closed, width), self.pattern)

    def cursor(self, found: Sequence[Row], here: object, wanted: Path | None) -> Item | None:
        """Where it goes; None for where it is. wanted: a profile that was just written."""
        profiles = [row.key for row in found if isinstance(row.key, Item) and row.key.kind == "profile"]
        new = Item("profile", str(wanted)) if wanted else None
        if new is not None and new in profiles:
            return new
        if self.filtered and isinstance(here, Item) and here.kind in HEADINGS:  # typed before the list was there
            return first_match(found)
        if here is not None:
            return None
        return next((item for item in profiles if Path(item.name).stem == FIRST_PROFILE), (*profiles, PROFILES)[0])
