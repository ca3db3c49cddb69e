"""A RowList under a line of column titles; a click on a title sorts by it."""

from __future__ import annotations

from collections.abc import Sequence

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

    def head_lines(self, width: int) -> list[Line]:
        return [fit(self.head, width)] if self.rows else [fit(self.head, width), *self.empty]

    def head_clicked(self, x: int) -> None:
        self.post_message(self.Sorted(x))
