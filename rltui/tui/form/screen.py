"""FormScreen; TOML text view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, TextArea

from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.background import if_mounted
from rltui.tui.checks.results import ProfileProblem
from rltui.tui.checks.text_check import TextChecker
from rltui.tui.form import render
from rltui.tui.form.editor import Filling, ValueLine
from rltui.tui.form.fields import FormRow, written_sections
from rltui.tui.form.rows import FOLDED, Searching, ShownRows
from rltui.tui.form.save import Saving
from rltui.tui.form.schema_client import ReadingKeys, Reference, Referenced, ReferenceReader
from rltui.tui.form.session import Checked, Checking, EditSession
from rltui.tui.help import HelpScreen
from rltui.tui.text import Line, text_line, wrap
from rltui.tui.themes import role_style
from rltui.tui.widgets.dialogs import uncovered
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.filter_bar import FilterLine
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ListView, ScrollableLines


class FormTitle(LineWidget):
    """The first line: which profile, and how it stands."""

    def __init__(self, screen: FormScreen) -> None:
        super().__init__(name="form-title")
        self._form = screen

    def paint(self, width: int, height: int) -> list[Line]:
        form, session = self._form, self._form.session
        place = "comes with rltui: saving makes a copy of your own" if session.shipped else str(session.path)
        judged = session.judged(form.shown_rows.is_open)
        return [render.title_line(session.path.stem, place, judged, session.changes, width)]


class FormDetails(ScrollableLines):
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
        about = [] if form.as_text else render.details(form.row, judged, form.reference, width)
        if problem := form.line.problem:  # no value yet: a verdict would be on the text without it
            return [*lines, *wrap(f"✗ {problem}", width, "bad"), (), *about]
        told = judged.problems(form.row) if form.row and not form.as_text else []
        return [*lines, *about, *([()] if lines or about else []), *render.verdict_lines(judged, width, told)]


class TomlView(TextArea):
    """Plain text without a grammar: tree-sitter is not needed for what stands at the line already."""

    def __init__(self) -> None:
        super().__init__(
            "", id="form-text", soft_wrap=False, show_line_numbers=True, tab_behavior="focus", compact=True
        )
        self.problems: Mapping[int, ProfileProblem] = {}
        self.border_subtitle = "^o saves · tab: the form"

    def mark(self, problems: Mapping[int, ProfileProblem]) -> None:
        """problems: by line, from 1."""
        if problems != self.problems:
            self.problems = problems
            self._line_cache.clear()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A comment dimmed; a wrong line in the colour of what is bad, with what is wrong behind it."""
        line = super().get_line(line_index)
        theme = self.app.theme
        if line.plain.lstrip().startswith("#"):
            line.stylize(role_style(theme, "muted"))
        problem = self.problems.get(line_index + 1)
        if problem is not None:
            line.stylize(role_style(theme, "bad"))
        return line


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
                rows = ListView(name="form-rows", classes="pane")
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

    @if_mounted
    def on_referenced(self, message: Referenced) -> None:
        self.reference = message.reference
        self.shown_rows.is_open = written_sections(self.reference, self.session.draft.written)
        self.show_all()
        self.search_line.again()
        if self.session.draft.written.problem:  # the form needs TOML to begin with
            self.action_toggle_view()

    # What is shown

    @if_mounted
    def show_all(self) -> None:
        """Rows, details and title again."""
        if not self.is_mounted:
            return
        judged = self.shown_rows.show()
        self.search_line.tell()
        self.query_one(TomlView).mark(render.by_line(judged.errors))
        self.show_sides()

    def show_sides(self) -> None:
        """Details and title again."""
        self.query_one(FormDetails).repaint()
        self.query_one(FormTitle).repaint()

    @property
    def row_list(self) -> ListView:
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

    def on_list_view_highlighted(self) -> None:
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

    @if_mounted
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

    @on(ListView.Chosen)
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
