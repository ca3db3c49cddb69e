"""Scrolling list with a cursor and header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from rltui.tui.text import HOLLOW, SOLID, Line, fit
from rltui.tui.widgets.line_widget import LineWidget

WHEEL = 3  # rows of one notch


class Wheeled(LineWidget):
    """Subclasses give `move`."""

    def move(self, rows: int) -> None:
        """Scroll by rows; negative is up."""
        raise NotImplementedError

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.move(-WHEEL)
        event.stop()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.move(WHEEL)
        event.stop()


ROWS = {"up": -1, "k": -1, "down": 1, "j": 1}


class Scrolled(Wheeled, can_focus=True):
    """`first` is the top line shown. One that follows stays at the end until moved up, and again once back there."""

    FOLLOW = False

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.first = 0
        self.following = self.FOLLOW
        self._total = 0
        self._room = 0

    def window(self, lines: Sequence[Line], height: int) -> list[Line]:
        """The part of `lines` in view. Call it from `paint`."""
        self._total, self._room = len(lines), height
        self.first = self._last if self.following else min(self.first, self._last)
        return list(lines[self.first : self.first + height])

    @property
    def _last(self) -> int:
        return max(self._total - self._room, 0)

    def move(self, rows: int) -> None:
        """Scroll by rows; negative is up."""
        self.first = min(max(self.first + rows, 0), self._last)
        self.following = self.FOLLOW and self.first == self._last
        self.repaint()

    def on_key(self, event: events.Key) -> None:
        page = max(self._room - 1, 1)
        steps = {**ROWS, "pageup": -page, "pagedown": page, "home": -self._total, "end": self._total}
        if event.key in steps:
            self.move(steps[event.key])
            event.stop()


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


class Selecting(Cursored):
    """Call `selection` from `paint`. head: lines above the rows, which stay where they are."""

    RESTS = False

    def selection(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head and the rows in view, each of which can have the cursor."""
        self.stand(range(len(rows)))
        return self.in_view(head, rows, width, height)


@dataclass(frozen=True, slots=True)
class Row:
    """key: what the row stands for; None for a heading or a note, which the cursor passes over."""

    key: object | None
    line: Line


class RowList(Cursored):
    """The highlighted row stays the same thing when the rows change, as long as it is still there."""

    class Highlighted(Message):
        """The cursor stands on another row."""

        def __init__(self, key: object) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """The highlighted row was clicked again."""

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.rows: list[Row] = []

    @property
    def key(self) -> object | None:
        """What the cursor stands on."""
        return self.rows[self.cursor].key if self.cursor < len(self.rows) else None

    def set_rows(self, rows: Sequence[Row], key: object | None = None) -> None:
        """New rows; the cursor goes to `key`, else stays with what it stands on, else with its place."""
        wanted = key if key is not None else self.key
        self.rows = list(rows)
        places = [index for index, row in enumerate(self.rows) if row.key is not None]
        self.cursor = next((index for index in places if self.rows[index].key == wanted), self.cursor)
        self.stand(places)
        self.repaint()
        self.moved()

    def paint(self, width: int, height: int) -> list[Line]:
        return self.in_view(self.head_lines(width), [row.line for row in self.rows], width, height)

    def head_lines(self, width: int) -> list[Line]:
        """What stands above the rows while they scroll."""
        return []

    def moved(self) -> None:
        if self.key is not None:
            self.post_message(self.Highlighted(self.key))

    def opened(self) -> None:
        self.post_message(self.Chosen())


class StateList(RowList):
    """`head` stays while the rows scroll."""

    class Sorted(Message):
        """The title at this column of the terminal was clicked."""

        def __init__(self, x: int) -> None:
            super().__init__()
            self.x = x

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.head: Line = ()
        self.empty: Sequence[Line] = ()  # shown where there are no rows

    def set_table(self, head: Line, rows: Sequence[Row], empty: Sequence[Line], key: object | None = None) -> None:
        """New content; the cursor stays with what it stands on."""
        self.head, self.empty = head, empty
        self.set_rows(rows, key)

    def head_lines(self, width: int) -> list[Line]:
        return [fit(self.head, width)] if self.rows else [fit(self.head, width), *self.empty]

    def head_clicked(self, x: int) -> None:
        self.post_message(self.Sorted(x))
