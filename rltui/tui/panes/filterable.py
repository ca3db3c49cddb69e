"""Base class of panes whose table has a filter and a cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rltui.errors import RltuiError
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, text_line
from rltui.tui.widgets.filter_bar import AROUND, FOLLOWS, Filtered, Pattern, filter_words
from rltui.tui.widgets.list_view import ListView

NOTHING = "no row matches the filter"
Row = TypeVar("Row")


class FilterablePane(Pane, ListView):
    """Call `filtered_rows` from `draw`; give `words` for the lower border.

    The cursor stays on the row that it was put on, whatever the order. One that follows stands on the last row shown.
    """

    FILTERS = True
    SHOWS_UNFOCUSED = False

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.pattern = Pattern()
        self._keys: Sequence[object] = ()  # of the rows shown
        self._here: object = None  # of the row that the cursor was put on; None: of whatever is there
        self._of = 0  # rows without the filter

    def check_rows(self) -> None:
        """Before an action on them: RltuiError where there are none."""
        if not self._keys:
            raise RltuiError(NOTHING if self._of else "there is nothing here yet")

    def words(self, view: View) -> str:
        """The lower border's text without a filter, in Textual markup."""
        return ""

    def filtered_rows(
        self, rows: Sequence[Row], key: Callable[[Row], object], texts: Callable[[Row], Sequence[str]]
    ) -> list[Row]:
        """Those that match. key: by which a row is known again; texts: what of it is looked through."""
        found = [row for row in rows if self.pattern.matches(*texts(row))] if self.pattern.text else list(rows)
        self._of, self._keys = len(rows), [key(row) for row in found]
        if self.following:
            self.cursor = max(len(found) - 1, 0)
        elif self._here is not None and self._here in self._keys:
            self.cursor = self._keys.index(self._here)
        self.cursor = min(self.cursor, max(len(found) - 1, 0))
        return found

    def selection(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head and the rows in view; where none matches, a line that says so, on which the cursor cannot stand."""
        self.place_cursor(range(len(rows)))
        lines = rows if rows or not self._of else [text_line(f" {NOTHING}", "muted")]
        return self.in_view(head, lines, width, height)

    def subtitle(self, view: View) -> str:
        usual = self.words(view)
        if not self.pattern.text:
            return usual
        return filter_words(self.pattern, len(self._keys), self._of, self.outer_size.width - AROUND, usual)

    def stay(self) -> None:
        """The cursor keeps to the row that it stands on now."""
        self._here = self._keys[self.cursor] if self.cursor < len(self._keys) else None

    def to_top(self) -> None:
        """The cursor to the first row, whichever that is."""
        self.cursor, self._here = 0, None

    def go(self, row: int) -> None:
        """At the end it follows again, where it is one that follows."""
        self.following = self.FOLLOW and row == len(self._keys) - 1
        self._here = self._keys[row] if row < len(self._keys) else None
        super().go(row)

    @property
    def filtered(self) -> Filtered | None:
        return self if self._of and self.view is not None and not self.has_nothing(self.view) else None

    @property
    def standing(self) -> object:
        if self.following:
            return FOLLOWS
        return self._keys[self.cursor] if self.cursor < len(self._keys) else None

    def matching(self) -> tuple[Sequence[object], int]:
        return self._keys, self._of

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        if self._keys:
            self.stay()
        self.pattern = pattern
        if goes is not None:
            self._here, self.following = goes, goes is FOLLOWS
        self.repaint()
        if not self.following and self._keys and self._here not in self._keys:
            self.go(0)
