"""Filling: the values of the form's fields, typed, stepped through, chosen, or put back as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rltui.profile.edit import Draft
from rltui.profile.source import show_key
from rltui.tui.form.choosing import Choosing
from rltui.tui.form.elements import as_saved
from rltui.tui.form.rows import FormRow
from rltui.tui.form.values import steps

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen


class Filling:
    """What is to become of a row."""

    def __init__(self, form: FormScreen) -> None:
        self._form = form
        self.choosing = Choosing(form)

    def edit(self, row: FormRow) -> None:
        """A line to type in, a list to choose from, or the other of two values, as the row's kind has it."""
        if row.kind == "add":
            self.choosing.addition()
        elif row.component:
            self.choosing.component(row)
        elif row.kind == "field":
            values = steps(row.entry, bool(row.component))
            if len(values) > 2 and values[0] != "true":
                self.choosing.value(row, values)
            elif values[:1] == ("true",):
                self.step(row, 1)
            else:
                self._open_line(row)

    def typing(self, text: str) -> None:
        """What it would be, and what the child says of that."""
        form = self._form
        form.session.candidate = form.line.typed(form.session.draft, text)
        form.ask_check()

    def take(self, text: str) -> None:
        """A value of the right kind is taken, also one that is out of range: it stays marked until it is mended."""
        form = self._form
        draft = form.line.typed(form.session.draft, text)
        if draft is None:
            form.show_sides()
        else:
            form.session.do(draft)
            self.close_line()

    def _open_line(self, row: FormRow) -> None:
        """To type its value."""
        self._form.line.open(row)
        self._form.show_footer()

    def close_line(self) -> None:
        """Back to the rows; what was typed and not taken is dropped."""
        form = self._form
        form.line.close()
        form.session.candidate = None
        form.row_list.focus()
        form.show_footer()
        form.ask_check()

    def step(self, row: FormRow | None, by: int) -> None:
        """To another of a field's few values."""
        values = steps(row.entry, bool(row.component)) if row and row.kind == "field" else ()
        if row is None or not values:
            return
        here = row.written or (row.entry.default if row.entry else "")
        index = values.index(here) + by if here in values else 0
        self._form.try_to(lambda: self._form.session.draft.set(row.path, values[index % len(values)]))

    def reset(self, row: FormRow | None) -> None:
        """As the file has it; where it is so already, its default."""
        form, key = self._form, show_key(row.path) if row else ""
        if row is None or row.kind not in ("field", "element"):
            form.notify("d puts a field back: go to one; u takes the last change back", severity="warning")
        elif form.session.judged(form.shown_rows.is_open).changed(row.path):
            self._do(lambda: as_saved(form.session.draft, form.session.saved, row), f"{key} is as in the file again")
        elif row.kind == "element":
            form.notify(f"{key} is as in the file; x takes it out")
        elif row.written is None:
            form.notify(f"{key} has its default")
        elif row.entry is not None and row.entry.required:
            form.notify(f"{key} is as in the file, and has no default")
        else:
            self._do(lambda: form.session.draft.unset(row.path), f"{key} has its default; u takes that back")

    def _do(self, change: Callable[[], Draft], words: str) -> None:
        if self._form.try_to(change):
            self._form.notify(words, timeout=3)
