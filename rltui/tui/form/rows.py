"""Rows shown: folding, search, next mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rltui.profile.edit import Draft
from rltui.profile.source import KeyPath
from rltui.tui.form import fields, render
from rltui.tui.form.fields import FormRow, after, all_open, form_rows, found, holding, matches
from rltui.tui.form.schema_client import Reference
from rltui.tui.text import Line, text_line
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import ListView, Row

if TYPE_CHECKING:
    from rltui.tui.form.screen import FormScreen


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


NARROWEST = 40  # columns that rows are made for before the list has a size
FOLDED = ("section", "element")  # kinds of rows that hide what lies under them


class ShownRows:
    """Of the form's screen. is_open: what is not folded away, search or no. rows: those in the list."""

    def __init__(self, form: FormScreen, searching: Searching) -> None:
        self._form, self._searching = form, searching
        self.is_open: frozenset[KeyPath] = frozenset()
        self.rows: dict[fields.Identity, FormRow] = {}

    @property
    def list(self) -> ListView:
        return self._form.query_one("#form-rows", ListView)

    @property
    def row(self) -> FormRow | None:
        """Under the cursor."""
        key = self.list.key
        return self.rows.get(key) if isinstance(key, tuple) else None

    def show(self) -> render.Judged:
        """The list again; how its rows stand."""
        form, found = self._form, self._searching.rows()
        self.rows = {row.identity: row for row in found}
        judged, width = form.session.judged(self._searching.is_open), max(self.list.size.width, NARROWEST)
        lines = [Row(row.identity, render.row_line(row, judged, width)) for row in found]
        typed = form.line.row  # a reward of one number is not there while its line is empty: back to it after that
        nothing = [Row(None, NOTHING if form.reference.keys else NOT_YET)] if self._searching.on else []
        self.list.set_rows(lines or nothing, typed.identity if typed else None)
        return judged

    def open(self, *paths: KeyPath) -> None:
        """They hide nothing from now on."""
        self.is_open |= set(paths)

    def fold(self) -> bool:
        """Fold what is under the cursor, or open it; False where it hides nothing, or a search is on."""
        row = self.row
        if row is None or self._searching.on or row.kind not in FOLDED:
            return False
        self.is_open ^= {row.path}
        return True

    def go_to(self, identity: fields.Identity | None) -> None:
        """The cursor to this row, where there is one."""
        if identity is not None:
            self.list.set_rows(self.list.rows, identity)

    def next_mistake(self) -> None:
        """The cursor to the next row that is wrong. What hides it is opened, and a search ends."""
        form = self._form
        problems = [problem.key for problem in form.session.check.errors] if form.session.check else []
        keys = [key for key in problems if key]
        if not keys:
            form.notify("no mistake" if not problems else "it is about the whole text: tab shows it")
            return
        form.search_line.drop()
        self.open(*fields.hiding(keys, self.rows.values()))
        form.show_all()
        judged = form.session.judged(self.is_open)
        wrong = [identity for identity, row in self.rows.items() if judged.problems(row)]
        self.go_to(fields.after(self.list.key, self.rows, wrong))
