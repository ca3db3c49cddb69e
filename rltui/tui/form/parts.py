"""The form's first line and its right side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.form import words
from rltui.tui.paint import Line, text_line, wrap
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.scrolled import Scrolled

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen


class FormTitle(Painted):
    """The first line: which profile, and how it stands."""

    def __init__(self, screen: FormScreen) -> None:
        super().__init__(name="form-title")
        self._form = screen

    def paint(self, width: int, height: int) -> list[Line]:
        form, session = self._form, self._form.session
        place = "comes with rltui: saving makes a copy of your own" if session.shipped else str(session.path)
        judged = session.judged(form.shown_rows.is_open)
        return [words.title_line(session.path.stem, place, judged, session.changes, width)]


class FormDetails(Scrolled):
    """The right side."""

    def __init__(self, screen: FormScreen) -> None:
        super().__init__(name="form-details", classes="pane")
        self._form = screen

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)

    def _words(self, width: int) -> list[Line]:
        """The row under the cursor explained, then all mistakes."""
        form = self._form
        judged = form.session.judged(form.shown_rows.is_open)
        lines: list[Line] = [text_line(form.reading.trouble, "bad")] if form.reading.trouble else []
        about = [] if form.as_text else words.details(form.row, judged, form.reference, width)
        if problem := form.line.problem:  # no value yet: a verdict would be on the text without it
            return [*lines, *wrap(f"✗ {problem}", width, "bad"), (), *about]
        told = judged.problems(form.row) if form.row and not form.as_text else []
        return [*lines, *about, *([()] if lines or about else []), *words.verdict_lines(judged, width, told)]
