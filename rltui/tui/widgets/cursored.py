"""Cursored: rows of which one has the cursor. Keys, the wheel and clicks move it, and the view follows."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rltui.tui.paint import HOLLOW, SOLID, Line, fit
from rltui.tui.widgets.scrolled import Scrolled


class Cursored(Scrolled):
    """Call `in_view` from `paint`. Headings, which the cursor passes over, are what `stand` leaves out."""

    RESTS = True  # the cursor shows without the focus too, hollow

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.cursor = 0
        self._places: Sequence[int] = ()  # the rows that it can stand on, ascending
        self._above = 0

    def stand(self, places: Sequence[int]) -> None:
        """The rows that the cursor can stand on from now on; it goes to the nearest of them."""
        self._places = places
        if places and (self.cursor < places[0] or self.cursor > places[-1] or self.cursor not in places):
            self.cursor = min(places, key=lambda place: abs(place - self.cursor))

    def in_view(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head, which stays where it is, and the rows in view, the one under the cursor marked."""
        self._above = min(len(head), max(height - 1, 0))
        room = max(height - self._above, 0)
        if self.cursor < self.first:
            self.first = self.cursor
        elif room and self.cursor >= self.first + room:
            self.first = self.cursor - room + 1
        if self._places and self.cursor == self._places[0] < room:  # what stands above the first one is seen too
            self.first = 0
        shown = self.window(rows, room)
        return [*head[: self._above], *(self._marked(self.first + y, line, width) for y, line in enumerate(shown))]

    def _marked(self, index: int, line: Line, width: int) -> Line:
        """A row leaves its first column blank, for the sign."""
        shows = self.has_focus or self.RESTS
        if index != self.cursor or not shows or not self._places or not line:
            return fit(line, width)
        (text, role), *rest = line
        sign, background = (SOLID, "cursor") if self.has_focus else (HOLLOW, "cursor-muted")
        marked = fit(((sign, "key"), (text[1:], role), *rest), width)
        return tuple((part, f"{name} {background}".strip()) for part, name in marked)

    def move(self, rows: int) -> None:
        """By so many rows that the cursor can stand on."""
        if self._places:
            here = self._places.index(self.cursor) if self.cursor in self._places else 0
            self.go(self._places[min(max(here + rows, 0), len(self._places) - 1)])

    def go(self, row: int) -> None:
        """The cursor to this row, which it can stand on."""
        moved, self.cursor = row != self.cursor, row
        self.repaint()
        if moved:
            self.moved()

    def moved(self) -> None:
        """The cursor stands on another row."""

    def opened(self) -> None:
        """The row under the cursor was clicked again."""

    def head_clicked(self, x: int) -> None:
        """At this column of the terminal."""

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self._above:
            self.head_clicked(offset.x)
            return
        row = self.first + offset.y - self._above
        if row in self._places:
            again = row == self.cursor and event.chain > 1
            self.go(row)
            if again:
                self.opened()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the list has the focus; on_focus and on_blur would come too early for that."""
        super().watch_has_focus(has_focus)
        self.repaint()
