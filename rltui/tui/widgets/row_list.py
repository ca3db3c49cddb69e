"""A list of rows with a cursor: keys, wheel and clicks move it; headings are passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from rltui.tui.paint import Line, fit
from rltui.tui.widgets.scrolled import Scrolled


@dataclass(frozen=True, slots=True)
class Row:
    """key: what the row stands for; None for a heading or a note, which the cursor passes over."""

    key: object | None
    line: Line


class RowList(Scrolled):
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
        self.cursor = 0

    @property
    def key(self) -> object | None:
        """What the cursor stands on."""
        return self.rows[self.cursor].key if self.cursor < len(self.rows) else None

    def set_rows(self, rows: Sequence[Row], key: object | None = None) -> None:
        """New rows; the cursor goes to `key`, else stays with what it stands on, else with its place."""
        wanted = key if key is not None else self.key
        self.rows = list(rows)
        places = [index for index, row in enumerate(self.rows) if row.key is not None]
        same = [index for index in places if self.rows[index].key == wanted]
        near = same or sorted(places, key=lambda index: abs(index - self.cursor))
        self._go(near[0] if near else 0, always=True)

    def paint(self, width: int, height: int) -> list[Line]:
        if self.cursor < self.first:
            self.first = self.cursor
        elif self.cursor >= self.first + height:
            self.first = self.cursor - height + 1
        if self.first <= 1:
            self.first = 0 if self.cursor < height else self.first
        shown = len(self.window([row.line for row in self.rows], height))
        return [self._drawn(index, self.rows[index], width) for index in range(self.first, self.first + shown)]

    def _drawn(self, index: int, row: Row, width: int) -> Line:
        line = fit(row.line, width)
        if index != self.cursor or row.key is None:
            return line
        cursor = "cursor" if self.has_focus else "cursor-muted"
        marked = fit((("▎", "key"), *_without_first(line)), width)  # a sign too, for those who see no background
        return tuple((text, f"{role} {cursor}".strip()) for text, role in marked)

    def move(self, rows: int) -> None:
        """Move the cursor by rows that it can stand on."""
        places = [index for index, row in enumerate(self.rows) if row.key is not None]
        if not places:
            return
        here = places.index(self.cursor) if self.cursor in places else 0
        self._go(places[min(max(here + rows, 0), len(places) - 1)])

    def _go(self, cursor: int, always: bool = False) -> None:
        moved = cursor != self.cursor
        self.cursor = cursor
        self.repaint()
        if (moved or always) and self.key is not None:
            self.post_message(self.Highlighted(self.key))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        index = self.first + offset.y if offset is not None else len(self.rows)
        if index < len(self.rows) and self.rows[index].key is not None:
            if index == self.cursor and event.chain > 1:
                self.post_message(self.Chosen())
            self._go(index)

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the list has the focus; on_focus and on_blur would come too early for that."""
        super().watch_has_focus(has_focus)
        self.repaint()


def _without_first(line: Line) -> Line:
    """The line without its first column, which rows leave blank."""
    (text, role), *rest = line
    return ((text[1:], role), *rest)
