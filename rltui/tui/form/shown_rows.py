"""ShownRows: which of the form's rows are shown: sections folded and opened, the row under the cursor, the next mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.profile.source import KeyPath
from rltui.tui.form import mistakes, words
from rltui.tui.form.rows import FormRow
from rltui.tui.form.searching import NOT_YET, NOTHING
from rltui.tui.widgets.row_list import Row, RowList

if TYPE_CHECKING:
    from rltui.tui.form.searching import Searching
    from rltui.tui.screens.form import FormScreen

NARROWEST = 40  # columns that rows are made for before the list has a size
FOLDED = ("section", "element")  # kinds of rows that hide what lies under them


class ShownRows:
    """Of the form's screen. is_open: what is not folded away, search or no. rows: those in the list."""

    def __init__(self, form: FormScreen, searching: Searching) -> None:
        self._form, self._searching = form, searching
        self.is_open: frozenset[KeyPath] = frozenset()
        self.rows: dict[mistakes.Identity, FormRow] = {}

    @property
    def list(self) -> RowList:
        return self._form.query_one("#form-rows", RowList)

    @property
    def row(self) -> FormRow | None:
        """Under the cursor."""
        key = self.list.key
        return self.rows.get(key) if isinstance(key, tuple) else None

    def show(self) -> words.Judged:
        """The list again; how its rows stand."""
        form, found = self._form, self._searching.rows()
        self.rows = {row.identity: row for row in found}
        judged, width = form.session.judged(self._searching.is_open), max(self.list.size.width, NARROWEST)
        lines = [Row(row.identity, words.row_line(row, judged, width)) for row in found]
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

    def go_to(self, identity: mistakes.Identity | None) -> None:
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
        self.open(*mistakes.hiding(keys, self.rows.values()))
        form.show_all()
        judged = form.session.judged(self.is_open)
        wrong = [identity for identity, row in self.rows.items() if judged.problems(row)]
        self.go_to(mistakes.after(self.list.key, self.rows, wrong))
