"""A list of rows with a cursor; headings are passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from rltui.tui.paint import Line
from rltui.tui.widgets.cursored import Cursored


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
