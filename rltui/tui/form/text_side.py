"""TextSide: the profile as the text that will be written, in the place of the form's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.profile.edit import Draft
from rltui.tui.form.toml_view import TomlView

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen


class TextSide:
    """The screen shows it while it has the class `as-text`."""

    def __init__(self, form: FormScreen) -> None:
        self._form = form

    def toggle(self) -> bool:
        """To the line of the row under the cursor, or back; False where the text is no TOML and the form needs that."""
        form = self._form
        if form.as_text:
            problem = form.session.draft.written.problem
            if problem:
                form.notify(problem, title="The form needs TOML", severity="error")
                return False
            form.remove_class("as-text")
            form.row_list.focus()
            return True
        view, line = form.query_one(TomlView), self._line_of_row()
        form.add_class("as-text")
        view.text = form.session.draft.text
        view.move_cursor((line, 0))
        view.focus()
        return True

    def typed(self, text: str) -> None:
        """The text is the draft."""
        form = self._form
        if form.as_text and text != form.session.draft.text:
            form.do(Draft(text))

    def _line_of_row(self) -> int:
        row = self._form.row
        line = self._form.session.draft.written.lines.nearest(row.path) if row else None
        return (line or 1) - 1
