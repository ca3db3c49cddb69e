"""FilterLine: where a list is filtered as one types. Its rules are the same wherever a list has one.

`/` opens it with what was typed before. Each key filters at once; the cursor stays on what it stands on, or goes to the first
row found; up and down move in what is left. Enter keeps the filter and goes back to the list. Esc in the line takes the filter
away, and the cursor back to where it was when the line was opened; esc in the list takes it away too, and the cursor stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Input

from rltui.tui.paint import clean
from rltui.tui.pattern import Pattern
from rltui.tui.typed_filter import MOVES
from rltui.tui.widgets.row_list import RowList

ASKED = "a regular expression; ! inverts; enter sets it, esc clears it"
AROUND = 6  # columns of a border that are no room for its words


class Filtered(Protocol):
    """What fills the list."""

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """Show what matches. goes: the key of the row that the cursor goes to; None: it stays."""

    def found(self) -> tuple[Sequence[object], int]:
        """(keys of the rows that match, in their order; how many there are without the filter)."""


class FilterLine(Input):
    """further: what else can be done once it is kept, in words."""

    def __init__(self, name: str, rows: RowList, filtered: Filtered, further: str = "") -> None:
        super().__init__(id=name, compact=True, placeholder=ASKED)
        self._rows, self._filtered, self._further = rows, filtered, further
        self._shown = Pattern()
        self._before: object | None = None  # where the cursor stood when it was opened

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    def open(self) -> None:
        """To type another filter."""
        self._before = self._rows.key
        self.add_class("open")
        self.focus()
        self.tell()

    def drop(self) -> bool:
        """No filter, and back to the list; False where there was none, nor a line."""
        if not self.is_open and not self._shown.text:
            return False
        goes = self._before if self.is_open else self._rows.key
        self.value = ""
        self._filter(goes)
        self._close()
        return True

    def tell(self) -> None:
        """In the list's lower border: the filter and how much it leaves. For whoever has filled the list anew, too."""
        self._rows.border_subtitle = self._words()

    def again(self) -> None:
        """What there is to be filtered has only come now: what is typed holds for it too."""
        if self._shown.text:
            self._filter()

    def _close(self) -> None:
        self.remove_class("open")
        self._rows.focus()
        self.tell()

    def _filter(self, goes: object | None = None) -> None:
        self._shown, before = Pattern(self.value), self._rows.key
        self._filtered.filter_by(self._shown, goes)
        keys, _ = self._filtered.found()
        if self._shown.text and not self._shown.problem and keys and before not in keys:
            self._rows.set_rows(self._rows.rows, keys[0])
        self.tell()

    def _words(self) -> Content:
        if not self._shown.text:
            return Content("")
        if self._shown.problem:
            return Content.assemble((clean(self._shown.problem), "$error"))
        keys, of = self._filtered.found()
        found = f"/{clean(self._shown.text)}  {len(keys)} of {of}"
        further = "enter sets it" if self.is_open else self._further
        words = " · ".join(part for part in (found, further, "esc clears") if part)
        room = self._rows.outer_size.width - AROUND
        return Content(words if cell_len(words) <= room else f"{found} · esc clears")

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was typed before esc may be told after it: what stands in the line now counts."""
        event.stop()
        if self.value != self._shown.text:
            self._filter()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()

    def on_key(self, event: events.Key) -> None:
        if event.key in MOVES:
            self._rows.move(MOVES[event.key])
            event.stop()
