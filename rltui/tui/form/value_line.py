"""ValueLine: the line under the rows in which a value is typed."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.profile.source import show_key
from rltui.profile.toml_text import default_words
from rltui.tui.form.elements import set_in, short_path
from rltui.tui.form.rows import FormRow
from rltui.tui.form.values import ValueProblem, toml_of, typed_of


class ValueLine(Horizontal):
    """row: the one whose value is typed; None while the line is closed. problem: why what stands there is no value."""

    def __init__(self) -> None:
        super().__init__(id="form-line")
        self.row: FormRow | None = None
        self.problem = ""

    def compose(self) -> ComposeResult:
        yield Label("", id="form-line-label")
        yield Input(id="form-input", compact=True, select_on_focus=False)

    def open(self, row: FormRow) -> None:
        """On the value that the row has."""
        self.row = row
        self.query_one(Label).update(f"{show_key(row.path)} =")
        self.add_class("open")
        line = self.query_one(Input)
        line.placeholder = default_words(row.entry.default) if row.entry else ""
        line.value = typed_of(row.written)
        line.cursor_position = len(line.value)
        line.focus()

    def close(self) -> None:
        self.row, self.problem = None, ""
        self.remove_class("open")

    def typed(self, draft: Draft, value: str) -> Draft | None:
        """The draft with what was typed in it; None, and `problem` says why, where that cannot be. Call it while a row
        is open. An empty line takes the key out, but a text may be empty.
        """
        try:
            found, self.problem = self._set(draft, value), ""
        except (ValueProblem, RltuiError) as error:
            self.problem = str(error)
            return None
        return found

    def _set(self, draft: Draft, value: str) -> Draft:
        """ValueProblem, RltuiError."""
        row = self.row
        assert row is not None
        if not value.strip() and not (row.entry and row.entry.nature == "string" and row.written is not None):
            return draft.unset(short_path(draft, row))
        return set_in(draft, row, toml_of(row.entry, value))
