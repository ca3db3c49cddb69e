"""ShownStates: which saved states the browser's table shows, in which order, which of them are marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from rltui import formatting
from rltui.tui.browser import state_table, state_words
from rltui.tui.browser.library import Entry
from rltui.tui.paint import clean
from rltui.tui.pattern import Pattern

if TYPE_CHECKING:
    from rltui.tui.browser.surroundings import Surroundings
    from rltui.tui.screens.browser import BrowserScreen


class ShownStates:
    """entries: as shown. first: where the cursor goes once it is there. pattern: what they must match."""

    def __init__(self, screen: BrowserScreen, around: Surroundings) -> None:
        self._screen, self._checks, self._clock = screen, around.checks, around.clock
        self._first: object | None = around.state
        self._kept = around.sorting
        self._under = 0  # entries below the tree's node
        self.entries: list[Entry] = []
        self.marked: list[Path] = []
        self.pattern = Pattern()

    def show(self) -> None:
        """The table again: what lies under the tree's node and matches the filter."""
        library, node, table = self._screen.library, self._screen.node, self._screen.table
        width = max(table.size.width, 20)
        entries = [self._judged(entry) for entry in library.under(node)]
        left = [entry for entry in entries if self.pattern.matches(state_table.searched(entry))]
        self.entries, self._under = state_table.sort(left, self._kept.order), len(entries)
        columns = state_table.fitting(
            width,
            {entry.run for entry in entries if entry.run},
            with_phase=node.kind in ("all", "run", "trash"),
            by=self._kept.order.key,
        )
        drawing = state_table.Drawing(
            columns, set(self.marked), lambda entry: self._checks.verdict(entry.path)[0], self._clock()
        )
        rows = [state_table.row(entry, drawing, width) for entry in self.entries]
        first = self._first if any(row.key == self._first for row in rows) else None
        self._first = None if first is not None or library.complete else self._first
        empty = state_words.nothing(library, filtered_out=bool(entries), width=width)
        table.set_table(state_table.head(columns, self._kept.order, width), rows, empty, first)
        table.border_title = Content(f"{clean(node.words)}  {formatting.count(len(entries))}")

    def _judged(self, entry: Entry) -> Entry:
        """With what its hashes say, where they have been compared: a damaged one is used for nothing."""
        verdict, reason = self._checks.verdict(entry.path)
        return replace(entry, reason=reason, best=None) if verdict == "damaged" and entry.usable else entry

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """Only what matches; the cursor to that one, None for where it is."""
        self.pattern, self._first = pattern, goes if goes is not None else self._first
        self._screen.show_table()

    def found(self) -> tuple[Sequence[object], int]:
        """What the filter leaves, of how many."""
        return [entry.path for entry in self.entries], self._under

    def sort(self, key: str) -> None:
        """By the column with this digit; again turns the order round."""
        self._kept.sort(key)

    def mark(self, entry: Entry) -> None:
        """For the comparison; again takes the mark away."""
        marked = entry.path in self.marked
        self.marked = [path for path in self.marked if path != entry.path] + ([] if marked else [entry.path])

    def forget_gone(self) -> None:
        """Marks of what is there no more."""
        library = self._screen.library
        there = {entry.path for entry in library.entries}
        self.marked = [path for path in self.marked if path in there or not library.complete]
