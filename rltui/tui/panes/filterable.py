"""Base class of panes whose table has a filter line and a cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual import events

from rltui.errors import RltuiError
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, text_line
from rltui.tui.widgets.filter_bar import MOVES, Pattern, TypedFilter, filter_words
from rltui.tui.widgets.list_view import ListView

AROUND = 6  # columns of a border that are no room for its words
NOTHING = "no row matches the filter"
Row = TypeVar("Row")


class FilterablePane(Pane, ListView):
    """Call `filtered_rows` from `draw`; give `words` for the lower border; have the keys `filter` and `clear` in the registry.

    The cursor stays on the row that it was put on, whatever the order. One that follows stands on the last row shown.
    """

    SHOWS_UNFOCUSED = False

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._filter = TypedFilter[object]()
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
        pattern = self._filter.pattern
        found = [row for row in rows if pattern.matches(*texts(row))] if pattern.text else list(rows)
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
        if not self._filter.typing and not self._filter.pattern.text:
            return usual
        return filter_words(self._filter, len(self._keys), self._of, usual, self.outer_size.width - AROUND)

    def stay(self) -> None:
        """The cursor keeps to the row that it stands on now."""
        self._here = self._standing

    @property
    def _standing(self) -> object:
        return self._keys[self.cursor] if self.cursor < len(self._keys) else None

    def to_top(self) -> None:
        """The cursor to the first row, whichever that is."""
        self.cursor, self._here = 0, None

    def go(self, row: int) -> None:
        """At the end it follows again, where it is one that follows."""
        self.following = self.FOLLOW and row == len(self._keys) - 1
        self._here = self._keys[row] if row < len(self._keys) else None
        super().go(row)

    @property
    def typing(self) -> bool:
        return self._filter.typing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without rows there is nothing to filter; esc is the screen's while there is no filter."""
        if action == "filter":
            return self._of > 0 and self.view is not None and not self.has_nothing(self.view)
        return bool(self._filter.pattern.text) if action == "clear" else True

    def action_filter(self) -> None:
        """Type another one."""
        self._filter.open(None if self.following else self._standing)
        self._show_typing()

    def action_clear(self) -> None:
        """All rows again; the cursor stays."""
        self.stay()
        self._filter.pattern, self.following = Pattern(), False
        self._show_typing()
        self.following = self.FOLLOW and self.cursor == len(self._keys) - 1

    def on_key(self, event: events.Key) -> None:
        if self._filter.typing and event.key not in MOVES:
            event.stop()
            event.prevent_default()
            self._type(event)

    def _type(self, event: events.Key) -> None:
        """The cursor stays on what it stands on, or goes to the first row found; back where it was when that is dropped."""
        if self._keys:
            self.stay()
        outcome = self._filter.press(event.key, event.character)
        if outcome == "dropped":
            self._here = self._filter.before
            self.following = self.FOLLOW and self._here is None
        self._show_typing()
        if outcome == "typed" and not self.following and self._keys and self._here not in self._keys:
            self.go(0)

    def watch_has_focus(self, has_focus: bool) -> None:
        """A filter is typed while the pane has the focus."""
        super().watch_has_focus(has_focus)
        self._filter.typing = self._filter.typing and has_focus
        self.repaint()

    def _show_typing(self) -> None:
        """Other keys do something now."""
        self.repaint()
        self.screen.refresh_bindings()
