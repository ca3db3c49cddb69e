"""Searching: the line under the form's rows in which a part of a name is typed, and the rows that it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rltui.profile.edit import Draft
from rltui.profile.source import KeyPath
from rltui.tui.form.finding import all_open, found, holding, matches
from rltui.tui.form.mistakes import after
from rltui.tui.form.reference import Reference
from rltui.tui.form.rows import FormRow, form_rows
from rltui.tui.paint import Line, text_line
from rltui.tui.pattern import Pattern

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen

NOTHING: Line = text_line("  No field has that in its name or its explanation; esc clears the search.", "muted")
NOT_YET: Line = text_line("  The fields are being read …", "muted")


class Searching:
    """pattern: empty while nothing is searched for."""

    def __init__(self, form: FormScreen) -> None:
        self._form = form
        self.pattern = Pattern()
        self._all: tuple[list[FormRow], frozenset[KeyPath]] = [], frozenset()
        self._all_of: tuple[Draft, Reference] | None = None  # what that was found in

    @property
    def on(self) -> bool:
        return bool(self.pattern.text)

    def rows(self) -> list[FormRow]:
        """All that are not folded away; while a search is on, all that it finds."""
        form = self._form
        if not form.reference.keys:
            return []
        if not self.on:
            return form_rows(form.reference, form.session.shown.written, form.shown_rows.is_open)
        return found(self._every_row()[0], self.pattern)

    @property
    def is_open(self) -> frozenset[KeyPath]:
        """What is open in those rows."""
        return self._every_row()[1] if self.on and self._form.reference.keys else self._form.shown_rows.is_open

    def filter_by(self, pattern: Pattern, goes: object | None) -> None:
        """What is left of the rows; without a search, what holds the row under the cursor is open."""
        rows, wanted = self._every_row()[0], goes if goes is not None else self._form.row_list.key
        row = next((each for each in rows if each.identity == wanted), None)
        if not pattern.text and row is not None:
            self._form.shown_rows.open(*holding(rows, row))
        self.pattern = pattern
        self._form.show_all()
        self._form.row_list.set_rows(self._form.row_list.rows, goes)

    def found(self) -> tuple[Sequence[object], int]:
        """The fields found, of how many."""
        fields = [row for row in self._every_row()[0] if row.kind in ("field", "element")]
        return [row.identity for row in fields if matches(row, self.pattern)], len(fields)

    def step(self, by: int) -> None:
        """To the next field found, or the one before, around the ends."""
        if not self.on:
            self._form.notify("/ searches; then n goes to the next field found, N to the one before")
            return
        rows = self._form.shown_rows.rows
        order = dict(rows) if by > 0 else dict(reversed(rows.items()))
        hits = [identity for identity, row in rows.items() if matches(row, self.pattern)]
        self._form.shown_rows.go_to(after(self._form.row_list.key, order, hits))

    def _every_row(self) -> tuple[list[FormRow], frozenset[KeyPath]]:
        draft, reference = self._form.session.shown, self._form.reference
        if self._all_of is None or self._all_of[0] is not draft or self._all_of[1] is not reference:
            is_open = all_open(reference, draft.written)
            self._all = form_rows(reference, draft.written, is_open), is_open
            self._all_of = draft, reference
        return self._all
