"""ShownStates: which saved states the browser's table shows, in which order, which of them are marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from rltui.tui import figures
from rltui.tui.browser import state_table, state_words
from rltui.tui.browser.library import Entry
from rltui.tui.browser.state_table import FilterError, Sorting
from rltui.tui.paint import clean

if TYPE_CHECKING:
    from rltui.tui.browser.hash_checks import HashChecks
    from rltui.tui.screens.browser import BrowserScreen


class ShownStates:
    """entries: as shown. first: where the cursor goes once it is there. filter: a regular expression, as typed."""

    def __init__(
        self, screen: BrowserScreen, checks: HashChecks, clock: Callable[[], float], first: Path | None
    ) -> None:
        self._screen, self._checks, self._clock = screen, checks, clock
        self._first: object | None = first
        self._sorting, self._problem = Sorting(), ""
        self.entries: list[Entry] = []
        self.marked: list[Path] = []
        self.filter = ""

    def show(self) -> None:
        """The table again: what lies under the tree's node and matches the filter."""
        library, node, table = self._screen.library, self._screen.node, self._screen.table
        width = max(table.size.width, 20)
        entries = library.under(node)
        self.entries = state_table.sort(self._filtered(entries), self._sorting)
        columns = state_table.fitting(
            width, {entry.run for entry in entries if entry.run}, with_phase=node.kind in ("all", "run", "trash")
        )
        drawing = state_table.Drawing(
            columns, set(self.marked), lambda entry: self._checks.verdict(entry.path)[0], self._clock()
        )
        rows = [state_table.row(entry, drawing, width) for entry in self.entries]
        first = self._first if any(row.key == self._first for row in rows) else None
        self._first = None if first is not None or library.complete else self._first
        empty = state_words.nothing(library, filtered_out=bool(entries), width=width)
        table.set_table(state_table.head(columns, self._sorting, width), rows, empty, first)
        table.border_title = self._title(node.words, len(entries))

    def _filtered(self, entries: list[Entry]) -> list[Entry]:
        """A filter that is no regular expression leaves all, and the table's title says so."""
        try:
            found, self._problem = state_table.filtered(entries, self.filter), ""
        except FilterError as error:
            found, self._problem = entries, str(error)
        return found

    def _title(self, words: str, all_of_it: int) -> Content:
        count = f"{len(self.entries)} of {all_of_it}" if self.filter else figures.count(all_of_it)
        title = f"{clean(words)}  {count}{f'  /{clean(self.filter)}' if self.filter else ''}"
        problem = f" · ✗ no regular expression: {clean(self._problem)}" if self._problem else ""
        return Content.assemble(title, (problem, "$error"))

    def go_back(self, before: object | None) -> None:
        """All rows again, without a filter, and the cursor on that one; None for where it is."""
        self.filter, self._first = "", before if before is not None else self._first
        self.show()

    def sort(self, key: str) -> None:
        """By the column with this digit; again turns the order round."""
        self._sorting = self._sorting.pressed(key)

    def mark(self, entry: Entry) -> None:
        """For the comparison; again takes the mark away."""
        marked = entry.path in self.marked
        self.marked = [path for path in self.marked if path != entry.path] + ([] if marked else [entry.path])

    def forget_gone(self) -> None:
        """Marks of what is there no more."""
        library = self._screen.library
        there = {entry.path for entry in library.entries}
        self.marked = [path for path in self.marked if path in there or not library.complete]
