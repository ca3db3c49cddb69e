"""Rows with a cursor inside a pane: keys, wheel and clicks move it, and the view follows."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rltui.tui.paint import Line, fit
from rltui.tui.widgets.scrolled import Scrolled


class Selecting(Scrolled):
    """Call `selection` from `paint`. head: lines above the rows, which stay where they are."""

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.cursor = 0
        self._rows = 0
        self._above = 0

    def selection(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head and the rows in view, the one under the cursor marked while the pane has the focus."""
        self._above, self._rows = min(len(head), max(height - 1, 0)), len(rows)
        room = max(height - self._above, 0)
        self.cursor = min(max(self.cursor, 0), max(len(rows) - 1, 0))
        if self.cursor < self.first:
            self.first = self.cursor
        elif room and self.cursor >= self.first + room:
            self.first = self.cursor - room + 1
        return [
            *head[: self._above],
            *self.window([self._marked(index, row, width) for index, row in enumerate(rows)], room),
        ]

    def _marked(self, index: int, line: Line, width: int) -> Line:
        """A row leaves its first column blank, for the sign."""
        if index != self.cursor or not self.has_focus:
            return line
        (text, role), *rest = line
        marked = fit((("▎", "key"), (text[1:], role), *rest), width)
        return tuple((part, f"{name} cursor".strip()) for part, name in marked)

    def move(self, rows: int) -> None:
        self.cursor = min(max(self.cursor + rows, 0), max(self._rows - 1, 0))
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        index = self.first + offset.y - self._above if offset is not None and offset.y >= self._above else -1
        if 0 <= index < self._rows:
            self.cursor = index
            self.repaint()
            if event.chain > 1:
                self.opened()

    def opened(self) -> None:
        """The row under the cursor was clicked twice."""

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor shows while the pane has the focus; on_focus and on_blur would come too early for that."""
        super().watch_has_focus(has_focus)
        self.repaint()
