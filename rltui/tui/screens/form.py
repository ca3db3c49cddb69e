"""The profile form: every key of the schema with its value, checked as it is typed; and the same as TOML text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, TextArea

from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.form import words
from rltui.tui.form.checking import Checked, Checking
from rltui.tui.form.filling import Filling
from rltui.tui.form.parts import FormDetails, FormTitle
from rltui.tui.form.reading_keys import ReadingKeys, Referenced
from rltui.tui.form.reference import Reference, ReferenceReader
from rltui.tui.form.rows import FormRow, written_sections
from rltui.tui.form.saving import Saving
from rltui.tui.form.searching import Searching
from rltui.tui.form.session import EditSession
from rltui.tui.form.shown_rows import FOLDED, ShownRows
from rltui.tui.form.text_check import TextChecker
from rltui.tui.form.text_side import TextSide
from rltui.tui.form.toml_view import TomlView
from rltui.tui.form.value_line import ValueLine
from rltui.tui.news import while_there
from rltui.tui.screens.dialog import uncovered
from rltui.tui.screens.help import HelpScreen
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.filter_line import FilterLine
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.row_list import RowList

NARROW = 100  # columns; below, the explanation stands under the form
HELP = (
    "Every key that a profile may have, with its value, or dimmed its default. ● is another value than the file's, ✗ a "
    "mistake; the right side explains the one under the cursor and lists all mistakes. / finds a field by its name or "
    "by what is said of it. Nothing is written before you have seen what will be."
)


class FormScreen(Screen["Path | None"]):
    """Dismissed with the file that was written last, or None. The child is asked in threads; nothing here blocks."""

    PLACE: ClassVar[Place] = "form"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, session: EditSession, reader: ReferenceReader, checker: TextChecker) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()
        self.session = session
        self._checking = Checking(self, session, checker, self.show_all)
        self.reference = Reference()
        self.written_to: Path | None = None
        self._filling, self._searching = Filling(self), Searching(self)
        self.shown_rows = ShownRows(self, self._searching)
        self._saving = Saving(self, session, self._written, self.ask_check)
        self.reading = ReadingKeys(self, reader)
        self._text_side = TextSide(self)

    def compose(self) -> ComposeResult:
        yield FormTitle(self)
        with Horizontal(id="form-body"):
            with Vertical(id="form-left"):
                rows = RowList(name="form-rows", classes="pane")
                rows.border_title = "Profile"
                yield rows
                yield TomlView()
                yield FilterLine("form-search", rows, self._searching, "n next")
                yield ValueLine()
            details = FormDetails(self)
            details.border_title = "What it means"
            yield details
        yield Footer(in_footer("form"))

    def on_mount(self) -> None:
        self.row_list.focus()
        self.reading.begin()
        self.ask_check()
        self.show_footer()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "narrow")
        self.call_after_refresh(self.show_all)

    @while_there
    def on_referenced(self, message: Referenced) -> None:
        self.reference = message.reference
        self.shown_rows.is_open = written_sections(self.reference, self.session.draft.written)
        self.show_all()
        self.search_line.again()
        if self.session.draft.written.problem:  # the form needs TOML to begin with
            self.action_toggle_view()

    # What is shown

    @while_there
    def show_all(self) -> None:
        """Rows, details and title again."""
        if not self.is_mounted:
            return
        judged = self.shown_rows.show()
        self.search_line.tell()
        self.query_one(TomlView).mark(words.by_line(judged.errors))
        self.show_sides()

    def show_sides(self) -> None:
        """Details and title again."""
        self.query_one(FormDetails).repaint()
        self.query_one(FormTitle).repaint()

    @property
    def row_list(self) -> RowList:
        return self.shown_rows.list

    @property
    def row(self) -> FormRow | None:
        """What the cursor stands on."""
        return self.shown_rows.row

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
        self.show_footer()

    def show_footer(self) -> None:
        """The keys that can be used now."""
        typing = self.as_text or self.line.row is not None
        letters = [action.name for action in in_footer("form") if len(action.keys[0]) == 1]
        dimmed = frozenset(["edit", *letters] if typing else [])  # they would be typed
        folds = self.row is not None and self.row.kind in FOLDED
        labels = {"toggle_view": "Form"} if self.as_text else {"edit": "Fold"} if folds else {}
        self.query_one(Footer).show(labels, dimmed)

    # What the child says

    def ask_check(self) -> None:
        """What is shown has changed."""
        self._checking.ask()

    @while_there
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

    @on(RowList.Chosen)
    def action_edit(self) -> None:
        row = self.row
        if row is None or self.line.row is not None:
            return
        if row.kind in FOLDED:
            self.action_fold()
        else:
            self._filling.edit(row)

    @on(Input.Changed, "#form-input")
    def judge_line(self, event: Input.Changed) -> None:
        if self.line.row is not None:
            self._filling.typing(event.value)

    @on(Input.Submitted, "#form-input")
    def take_line(self, event: Input.Submitted) -> None:
        self._filling.take(event.value)

    def action_add(self) -> None:
        self._filling.choosing.addition()

    def action_step(self, by: int) -> None:
        self._filling.step(self.row, by)

    def action_remove(self) -> None:
        if self.row is not None:
            self._filling.choosing.removal(self.row)

    def action_reset(self) -> None:
        self._filling.reset(self.row)

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
        if self.shown_rows.fold():
            self.show_all()

    def action_next_mistake(self) -> None:
        """Opens what hides it."""
        self.shown_rows.next_mistake()

    # Searching

    @property
    def search_line(self) -> FilterLine:
        return self.query_one(FilterLine)

    def action_search(self) -> None:
        if self.line.row is None and not self.as_text:
            self.search_line.open()

    def action_next_found(self, by: int) -> None:
        self._searching.step(by)

    # The text

    def action_toggle_view(self) -> None:
        """From the form to the text, and back where it is TOML."""
        if self.line.row is None and self._text_side.toggle():
            self.show_footer()
            self.call_after_refresh(self.show_all)

    @on(TextArea.Changed, "#form-text")
    def take_text(self, event: TextArea.Changed) -> None:
        self._text_side.typed(event.text_area.text)

    # Saving and leaving

    def action_save(self) -> None:
        self._saving.save()

    def _written(self, path: Path) -> None:
        self.written_to = path
        if uncovered(self):
            self.dismiss(path)

    def action_back(self) -> None:
        if self.line.row is not None:
            self._filling.close_line()
        elif not self.as_text and self.search_line.drop():
            return
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
