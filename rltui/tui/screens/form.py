"""The profile form: every key of the schema with its value, checked as it is typed; and the same as TOML text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

from rltui.errors import RltuiError
from rltui.profile.draft import Draft
from rltui.profile.problems import KeyPath
from rltui.tui.actions import bindings, in_footer
from rltui.tui.form import mistakes, words
from rltui.tui.form.checking import Checked, Checking
from rltui.tui.form.choosing import Choosing
from rltui.tui.form.reference import Reference, ReferenceReader
from rltui.tui.form.rows import FormRow, RowKind, form_rows, written_sections
from rltui.tui.form.saving import Saving
from rltui.tui.form.session import EditSession
from rltui.tui.form.text_check import TextChecker
from rltui.tui.form.toml_view import TomlView
from rltui.tui.form.value_line import ValueLine
from rltui.tui.form.values import steps
from rltui.tui.paint import Line, text_line, wrap
from rltui.tui.screens.help import HelpScreen
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.row_list import Row, RowList
from rltui.tui.widgets.scrolled import Scrolled

NARROW = 100  # columns; below, the explanation stands under the form
HELP = (
    "Every key that a profile may have, with its value, or dimmed its default. ● is another value than the file's, ✗ a "
    "mistake; the right side explains the one under the cursor and lists all mistakes. Nothing is written before you "
    "have seen what will be."
)


class FormTitle(Painted):
    """The first line: which profile, and how it stands."""

    def __init__(self, screen: FormScreen) -> None:
        super().__init__(name="form-title")
        self._form = screen

    def paint(self, width: int, height: int) -> list[Line]:
        return [self._form.title_words()]


class FormDetails(Scrolled):
    """The right side."""

    def __init__(self, screen: FormScreen) -> None:
        super().__init__(name="form-details", classes="pane")
        self._form = screen

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._form.detail_words(width), height)


class FormScreen(Screen["Path | None"]):
    """Dismissed with the file that was written last, or None. The child is asked in threads; nothing here blocks."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("form")

    class Referenced(Message):
        """What may be written is known."""

        def __init__(self, reference: Reference) -> None:
            super().__init__()
            self.reference = reference

    def __init__(self, session: EditSession, reader: ReferenceReader, checker: TextChecker) -> None:
        super().__init__(classes="profile-form")
        self.session, self._reader = session, reader
        self._checking = Checking(self, session, checker, self.show_all)
        self.reference = Reference()
        self.is_open: frozenset[KeyPath] = frozenset()
        self.rows: dict[tuple[RowKind, KeyPath], FormRow] = {}
        self.written_to: Path | None = None
        self._choosing = Choosing(self)
        self._saving = Saving(self, session, self._written, self.ask_check)
        self._trouble = ""

    def compose(self) -> ComposeResult:
        yield FormTitle(self)
        with Horizontal(id="form-body"):
            with Vertical(id="form-left"):
                rows = RowList(name="form-rows", classes="pane")
                rows.border_title = "Profile"
                yield rows
                yield TomlView()
                yield ValueLine()
            yield FormDetails(self)
        yield Footer(in_footer("form"))

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.run_worker(self._read_reference, thread=True, exit_on_error=False)
        self.ask_check()
        self._show_footer()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "narrow")
        self.call_after_refresh(self.show_all)

    def _read_reference(self) -> None:
        try:
            self.post_message(self.Referenced(self._reader.read()))
        except (OSError, ValueError) as error:
            self._trouble = f"the keys could not be read: {error}"
            self.app.call_from_thread(self.show_all)

    def on_form_screen_referenced(self, message: Referenced) -> None:
        self.reference = message.reference
        self.is_open = written_sections(self.reference, self.session.draft.written)
        self.show_all()
        if self.session.draft.written.problem:  # the form needs TOML to begin with
            self.action_toggle_view()

    # What is shown

    def title_words(self) -> Line:
        session = self.session
        place = "comes with rltui: saving makes a copy of your own" if session.shipped else str(session.path)
        return words.title_line(session.path.stem, place, session.judged(self.is_open), session.changes)

    def detail_words(self, width: int) -> list[Line]:
        judged = self.session.judged(self.is_open)
        lines: list[Line] = [text_line(self._trouble, "bad")] if self._trouble else []
        about = [] if self.as_text else words.details(self.row, judged, self.reference, width)
        if problem := self.line.problem:  # no value yet: a verdict would be on the text without it
            return [*lines, *wrap(f"✗ {problem}", width, "bad"), (), *about]
        told = judged.problems(self.row) if self.row and not self.as_text else []
        return [*lines, *about, *([()] if lines or about else []), *words.verdict_lines(judged, width, told)]

    def show_all(self) -> None:
        """Rows, details and title again."""
        if not self.is_mounted:
            return
        rows = self.query_one("#form-rows", RowList)
        found = form_rows(self.reference, self.session.shown.written, self.is_open) if self.reference.keys else []
        self.rows = {row.identity: row for row in found}
        judged, width = self.session.judged(self.is_open), max(rows.size.width, 40)
        rows.set_rows([Row(row.identity, words.row_line(row, judged, width)) for row in found])
        self.query_one(TomlView).mark(words.by_line(judged.errors))
        self._show_sides()

    def _show_sides(self) -> None:
        self.query_one(FormDetails).repaint()
        self.query_one(FormTitle).repaint()

    @property
    def row(self) -> FormRow | None:
        """What the cursor stands on."""
        key = self.query_one("#form-rows", RowList).key
        return self.rows.get(key) if isinstance(key, tuple) else None

    @property
    def line(self) -> ValueLine:
        """In which a value is typed."""
        return self.query_one(ValueLine)

    @property
    def as_text(self) -> bool:
        return self.has_class("as-text")

    def on_row_list_highlighted(self) -> None:
        details = self.query_one(FormDetails)
        details.first = 0
        details.repaint()

    def _show_footer(self) -> None:
        typing = self.as_text or self.line.row is not None
        letters = [action.name for action in in_footer("form") if len(action.keys[0]) == 1]
        dimmed = frozenset(["edit", *letters] if typing else [])  # they would be typed
        self.query_one(Footer).show({"toggle_view": "Form" if self.as_text else "TOML"}, dimmed, ())

    # What the child says

    def ask_check(self) -> None:
        """What is shown has changed."""
        self._checking.ask()

    def on_checked(self, message: Checked) -> None:
        self._checking.take(message)

    # Changing

    def do(self, draft: Draft) -> None:
        """A step that can be undone."""
        self.session.do(draft)
        self.ask_check()

    def try_to(self, change: Callable[[], Draft]) -> bool:
        """A step, if it can be made; what cannot be is told."""
        try:
            self.do(change())
        except RltuiError as error:
            self.notify(error.message, severity="error")
            return False
        return True

    def on_row_list_chosen(self) -> None:
        self.action_edit()

    def action_edit(self) -> None:
        row = self.row
        if row is None or self.line.row is not None:
            return
        if row.kind in ("section", "element"):
            self.action_fold()
        elif row.kind == "add":
            self._choosing.addition()
        elif row.component:
            self._choosing.component(row)
        elif row.kind == "field":
            values = steps(row.entry, bool(row.component))
            if len(values) > 2 and values[0] != "true":
                self._choosing.value(row, values)
            elif values[:1] == ("true",):
                self.action_step(1)
            else:
                self.line.open(row)
                self._show_footer()

    def close_line(self) -> None:
        """Back to the rows."""
        self.line.close()
        self.session.candidate = None
        self.query_one("#form-rows", RowList).focus()
        self._show_footer()
        self.ask_check()

    @on(Input.Changed, "#form-input")
    def judge_line(self, event: Input.Changed) -> None:
        """What it would be, and what the child says of that."""
        if self.line.row is not None:
            self.session.candidate = self.line.typed(self.session.draft, event.value)
            self.ask_check()

    @on(Input.Submitted, "#form-input")
    def take_line(self, event: Input.Submitted) -> None:
        """A value of the right kind is taken, also one that is out of range: it stays marked until it is mended."""
        draft = self.line.typed(self.session.draft, event.value)
        if draft is None:
            self._show_sides()
            return
        self.session.do(draft)
        self.close_line()

    def action_add(self) -> None:
        self._choosing.addition()

    def action_step(self, by: int) -> None:
        row = self.row
        values = steps(row.entry, bool(row.component)) if row and row.kind == "field" else ()
        if row is None or not values:
            return
        here = row.written or (row.entry.default if row.entry else "")
        index = values.index(here) + by if here in values else 0
        self.try_to(lambda: self.session.draft.set(row.path, values[index % len(values)]))

    def action_remove(self) -> None:
        if self.row is not None:
            self._choosing.removal(self.row)

    def action_undo(self) -> None:
        self._moved(self.session.undo(), "nothing to undo")

    def action_redo(self) -> None:
        self._moved(self.session.redo(), "nothing to do again")

    def _moved(self, done: bool, otherwise: str) -> None:
        if done:
            self.ask_check()
        else:
            self.notify(otherwise)

    def action_fold(self) -> None:
        row = self.row
        if row is not None and row.kind in ("section", "element"):
            self.is_open ^= {row.path}
            self.show_all()

    def action_next_mistake(self) -> None:
        """Opens what hides it."""
        problems = [problem.key for problem in self.session.check.errors] if self.session.check else []
        keys = [key for key in problems if key]
        if not keys:
            self.notify("no mistake" if not problems else "it is about the whole text: tab shows it")
            return
        self.is_open |= mistakes.hiding(keys, self.rows.values())
        self.show_all()
        judged = self.session.judged(self.is_open)
        rows = self.query_one("#form-rows", RowList)
        wrong = [identity for identity, row in self.rows.items() if judged.problems(row)]
        if (found := mistakes.after(rows.key, self.rows, wrong)) is not None:
            rows.set_rows(rows.rows, found)

    # The text

    def action_toggle_view(self) -> None:
        """From the form to the text, and back where it is TOML."""
        if self.line.row is not None:
            return
        view = self.query_one(TomlView)
        if self.as_text:
            if self.session.draft.written.problem:
                self.notify(self.session.draft.written.problem, title="The form needs TOML", severity="error")
                return
            self.remove_class("as-text")
            self.query_one("#form-rows", RowList).focus()
        else:
            line = self._line_of_row()
            self.add_class("as-text")
            view.text = self.session.draft.text
            view.move_cursor((line, 0))
            view.focus()
        self._show_footer()
        self.call_after_refresh(self.show_all)

    def _line_of_row(self) -> int:
        row = self.row
        line = self.session.draft.written.lines.nearest(row.path) if row else None
        return (line or 1) - 1

    @on(TextArea.Changed, "#form-text")
    def take_text(self, event: TextArea.Changed) -> None:
        """The text is the draft."""
        if self.as_text and event.text_area.text != self.session.draft.text:
            self.session.do(Draft(event.text_area.text))
            self.ask_check()

    # Saving and leaving

    def action_save(self) -> None:
        self._saving.save()

    def _written(self, path: Path) -> None:
        self.written_to = path
        self.dismiss(path)

    def action_back(self) -> None:
        if self.line.row is not None:
            self.close_line()
        elif self.as_text and not self.session.draft.written.problem:
            self.action_toggle_view()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        self._saving.leave(self.written_to)

    def action_show_help(self) -> None:
        self.app.push_screen(HelpScreen("form", "Profile form", [("", HELP)]))

    def on_unmount(self) -> None:
        self._checking.end()
