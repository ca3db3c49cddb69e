"""Searching: the line under the form's rows in which a part of a name is typed, and the rows that it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from rltui.profile.draft import Draft
from rltui.profile.problems import KeyPath
from rltui.tui.form.finding import all_open, found, holding, matches
from rltui.tui.form.mistakes import after
from rltui.tui.form.rows import FormRow, form_rows
from rltui.tui.paint import Line, clean, text_line
from rltui.tui.pattern import Pattern
from rltui.tui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen

ASKED = "a part of a name or of what it means; ! inverts; esc clears"
NOTHING: Line = text_line("  No field has that in its name or its explanation; esc clears the search.", "muted")


class Searching:
    """pattern: empty while nothing is searched for."""

    def __init__(self, form: FormScreen) -> None:
        self._form = form
        self.pattern = Pattern()
        self._before: object | None = None  # where the cursor stood when the line was opened
        self._all: tuple[Draft, list[FormRow], frozenset[KeyPath]] | None = None  # of one draft

    @property
    def on(self) -> bool:
        return bool(self.pattern.text)

    def rows(self) -> list[FormRow]:
        """All that are not folded away; while a search is on, all that it finds."""
        form = self._form
        if not form.reference.keys:
            return []
        if not self.on:
            return form_rows(form.reference, form.session.shown.written, form.is_open)
        return found(self._every_row()[0], self.pattern)

    @property
    def is_open(self) -> frozenset[KeyPath]:
        """What is open in those rows."""
        return self._every_row()[1] if self.on and self._form.reference.keys else self._form.is_open

    def subtitle(self) -> Content:
        """`/rate  3 of 140 fields · n next · esc clears`, for the border."""
        if not self.on:
            return Content("")
        if self.pattern.problem:
            return Content.assemble((f"✗ no regular expression: {clean(self.pattern.problem)}", "$error"))
        rows = [row for row in self._every_row()[0] if row.kind in ("field", "element")]
        hits = sum(matches(row, self.pattern) for row in rows)
        keys = "enter goes there" if self._line.has_class("open") else "n next"
        return Content(f"/{clean(self.pattern.text)}  {hits} of {len(rows)} fields · {keys} · esc clears")

    def open(self) -> None:
        """The line, with what was searched for."""
        self._before = self._form.row_list.key
        self._line.add_class("open")
        self._line.focus()

    def typed(self, text: str) -> None:
        """With each key: the cursor goes to the first field found."""
        row, was_on, self.pattern = self._form.row, self.on, Pattern(text)
        if was_on and not self.on and row is not None:
            self._form.is_open |= holding(self._every_row()[0], row)
        self._form.show_all()
        if self.on and not self.pattern.problem and (row is None or not matches(row, self.pattern)):
            self._go(next((each for each in self._form.rows.values() if matches(each, self.pattern)), None))

    def keep(self) -> None:
        """Back to the rows; what was found stays."""
        self._line.remove_class("open")
        self._form.row_list.focus()
        self._form.show_all()

    def clear(self) -> bool:
        """All rows again, the cursor where it is, or from the line where it was; False where nothing was searched for."""
        line = self._line
        if not self.on and not line.has_class("open"):
            return False
        line.value = ""
        if line.has_class("open"):
            self.pattern = Pattern()
            self._form.show_all()
            self._form.row_list.set_rows(self._form.row_list.rows, self._before)
        self.typed("")
        self.keep()
        return True

    def step(self, by: int) -> None:
        """To the next field found, or the one before, around the ends."""
        if not self.on:
            self._form.notify("/ searches; then n goes to the next field found, N to the one before")
            return
        rows = self._form.rows
        order = dict(rows) if by > 0 else dict(reversed(rows.items()))
        hits = [identity for identity, row in rows.items() if matches(row, self.pattern)]
        identity = after(self._form.row_list.key, order, hits)
        self._go(rows[identity] if identity is not None else None)

    def _go(self, row: FormRow | None) -> None:
        if row is not None:
            self._form.row_list.set_rows(self._form.row_list.rows, row.identity)

    @property
    def _line(self) -> FilterLine:
        return self._form.query_one(FilterLine)

    def _every_row(self) -> tuple[list[FormRow], frozenset[KeyPath]]:
        draft, reference = self._form.session.shown, self._form.reference
        if self._all is None or self._all[0] is not draft:
            is_open = all_open(reference, draft.written)
            self._all = draft, form_rows(reference, draft.written, is_open), is_open
        return self._all[1], self._all[2]
