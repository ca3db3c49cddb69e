"""A RowList under a line of column titles; a click on a title sorts by it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message

from rltui.tui.paint import Line, fit
from rltui.tui.widgets.row_list import Row, RowList


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

    def paint(self, width: int, height: int) -> list[Line]:
        body = super().paint(width, max(height - 1, 1)) if self.rows else list(self.empty)
        return [fit(self.head, width), *body]

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        event.prevent_default()  # RowList's own knows of no titles
        if offset is None:
            return
        if offset.y == 0:
            self.post_message(self.Sorted(offset.x))
            return
        index = self.first + offset.y - 1
        if index < len(self.rows) and self.rows[index].key is not None:
            if index == self.cursor and event.chain > 1:
                self.post_message(self.Chosen())
            self._go(index)
