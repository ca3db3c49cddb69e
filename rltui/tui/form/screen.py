"""The profile form: rows of fields, a line to type in, the explanation beside them; or the file's text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, TextArea

from rltui import formatting
from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath
from rltui.profile.toml_text import toml_string
from rltui.tui.actions import FORM, Action, Place, bindings, in_footer
from rltui.tui.background import if_mounted
from rltui.tui.checks.results import ProfileProblem
from rltui.tui.checks.schema import Reference, ReferenceReader
from rltui.tui.checks.text_check import TextChecker
from rltui.tui.form import editor, render
from rltui.tui.form.editor import FieldInput
from rltui.tui.form.fields import OF_LISTS, FormRow, written_sections
from rltui.tui.form.rows import FOLDED, FieldList
from rltui.tui.form.save import save_profile
from rltui.tui.form.session import EditSession
from rltui.tui.help import HelpScreen
from rltui.tui.messages import Refused
from rltui.tui.themes import role_style
from rltui.tui.widgets.compositor import PlacedCompositor
from rltui.tui.widgets.dialogs import ChoiceDialog, ChooserDialog, bring_to_top
from rltui.tui.widgets.filter_bar import FilterBar, clear_filter
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.list_view import ListView, TextView

DEBOUNCE = 0.25  # seconds after the last key before the child is asked
OF_TEXT = ("ctrl+o", "tab", "ctrl+q")  # keys that are not typed into the text
NARROW = 100  # columns; below, the explanation stands under the form
HELP = "A dimmed value is the default, ● one that the file does not have yet, ✗ a mistake. Saving shows the difference first."


class TomlView(TextArea):
    """Plain text without a grammar: tree-sitter is not needed for what stands at the line already."""

    def __init__(self) -> None:
        super().__init__(
            "", id="form-text", soft_wrap=False, show_line_numbers=True, tab_behavior="focus", compact=True
        )
        self.problems: Mapping[int, ProfileProblem] = {}
        self._role = "bad"

    def mark(self, problems: Mapping[int, ProfileProblem], role: str) -> None:
        """problems: by line, from 1. role: their colour."""
        if (problems, role) != (self.problems, self._role):
            self.problems, self._role = problems, role
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
            line.stylize(role_style(theme, self._role))
        return line


class FormScreen(Screen[Path | None]):
    """Dismissed with the file that was written, or None. Threads ask the child; nothing here blocks."""

    PLACE: ClassVar[Place] = "form"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, session: EditSession, reader: ReferenceReader, checker: TextChecker) -> None:
        super().__init__()
        self._compositor = PlacedCompositor()
        self.session = session
        self.reference = Reference()
        self._reader, self._checker = reader, checker
        self._trouble = ""  # why the keys are not known
        self.field_list, self.line, self.text_view = FieldList(), FieldInput(), TomlView()
        self._title, self._details = TextView("form-title"), TextView("form-details", classes="pane")
        self._title.can_focus, self._details.border_title = False, "What it means"

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="form-body"):
            with Vertical(id="form-left"):
                yield self.field_list
                yield self.text_view
                yield self.line
            yield self._details
        yield Footer((), self._keys)
        yield FilterBar()

    def on_mount(self) -> None:
        self.field_list.focus()
        self._read_reference()
        self.ask_check()
        self.show_footer()

    def on_unmount(self) -> None:
        self._checker.cancel()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "narrow")
        self.call_after_refresh(self.show_all)

    # What the children say

    @work(exclusive=True, group="reference", exit_on_error=False)
    async def _read_reference(self) -> None:
        try:
            self.reference = await asyncio.to_thread(self._reader.read)
        except (OSError, ValueError) as error:
            self._trouble = f"the keys could not be read: {error}"
        written = self.session.draft.written
        self.field_list.is_open = written_sections(self.reference, written)
        self.show_all()
        if self.field_list.filtered:  # by what was typed before the fields were known
            self.field_list.filter_by(self.field_list.pattern)
        if written.problem and not self._trouble:  # the form needs TOML to begin with
            self.action_toggle_view()

    def ask_check(self) -> None:
        """The text has changed; an answer that is known is taken at once."""
        text = self.session.shown.text
        known = self._checker.known(text, self.session.path)
        if known is None:
            self.session.checking = True
            self._check(text)
        else:
            self.session.judged(known)
        self.show_all()

    @work(exclusive=True, group="check", exit_on_error=False)
    async def _check(self, text: str) -> None:
        await asyncio.sleep(DEBOUNCE)
        check = await asyncio.to_thread(self._checker.check, text, self.session.path)
        if check is not None and text == self.session.shown.text:
            self.session.judged(check)
            self.show_all()

    # What is shown

    @if_mounted
    def show_all(self) -> None:
        """Rows, details and title again."""
        if not self.is_mounted:
            return
        state, typed = self.session.state, self.line.row
        # a reward of one number is not there while its line is empty: back to it after that
        self.field_list.show(self.reference, state, typed.identity if typed else None)
        self.text_view.mark(render.by_line(state.errors), state.bad)
        self.show_sides()

    @on(FieldList.Refilled)
    def show_sides(self) -> None:
        """Details and title again."""
        session, reference, trouble, problem = self.session, self.reference, self._trouble, self.line.problem
        state, row = replace(session.state, is_open=self.field_list.is_open), None if self.as_text else self.row
        place = "comes with rltui: saving makes a copy" if session.shipped else str(session.path)
        self.show_footer()
        title = partial(render.title_line, session.path.stem, place, state, session.changes)
        self._title.show(lambda width: [title(width)])
        self._details.show(lambda width: render.side_lines(row, state, reference, width, trouble, problem))

    @property
    def row(self) -> FormRow | None:
        """What the cursor stands on."""
        return self.field_list.row

    def _highlighted(self) -> FormRow:
        if (row := self.row) is None:
            raise RltuiError("no field is highlighted")
        return row

    @property
    def as_text(self) -> bool:
        return self.has_class("as-text")

    def on_list_view_highlighted(self) -> None:
        self._details.first = 0
        self.show_sides()
        self.show_footer()

    def _keys(self) -> Sequence[Action]:
        """For the footer: of the text those alone that are not typed into it."""
        if not self.as_text:
            return [each for each in in_footer("form") if each.name != "accept" or self._suggested]
        keys = {action.name: tuple(key for key in action.keys if key in OF_TEXT) for action in FORM}
        return [replace(action, keys=keys[action.name], footer=0) for action in FORM if keys[action.name]]

    @if_mounted
    def show_footer(self) -> None:
        """The keys that can be used now."""
        letters = [action.name for action in in_footer("form") if len(action.keys[0]) == 1]
        dimmed = frozenset(["edit", *letters] if self.line.row is not None else [])  # they would be typed
        labels = {"toggle_view": "Form"} if self.as_text else {}
        if (row := self.row) is not None and not self.as_text:
            act = "Rename" if self.session.state.misnamed(row) else "Fold" if row.kind in FOLDED else ""
            labels |= {"edit": act} if act else {}
            labels |= {"accept": f"Take {self._suggested.suggestion}"} if self._suggested else {}
        self.query_one(Footer).show(labels, dimmed)

    @property
    def _suggested(self) -> ProfileProblem | None:
        """The mistake of the row under the cursor, where it is known what was meant."""
        key = show_key(self.row.path) if self.row is not None else ""
        return next((each for each in self.session.state.errors if key and each.key == key and each.suggestion), None)

    # Changing

    def _try(self, change: Callable[[Draft], Draft]) -> bool:
        """Make a change that can be undone, or say why it cannot be made."""
        try:
            self.session.do(change(self.session.draft))
        except RltuiError as error:
            self.post_message(Refused(error))
            return False
        self.ask_check()
        return True

    @on(ListView.Chosen)
    async def _row_chosen(self) -> None:
        await self.run_action("edit")

    def action_edit(self) -> None:
        """A line to type in, a list to choose from, the other of two values, or fold: as the row's kind has it."""
        if self.line.row is not None:
            return
        row = self._highlighted()
        if self.session.state.misnamed(row):
            self.line.open(row, renames=True)
            self.show_footer()
        elif row.kind in FOLDED:
            self.action_fold()
        elif row.kind == "add":
            self.action_add()
        elif row.component:
            self._choose(editor.component_chooser(self.reference, row), row)
        elif row.kind == "field" and row.entry is not None and row.entry.nature == "boolean":
            value = "false" if row.shown_text == "true" else "true"
            self._try(lambda draft: draft.set(row.path, value))
        elif editor.choices(row):
            self._choose(editor.value_chooser(row), row)
        elif row.kind == "field":
            self.line.open(row)
            self.show_footer()
        else:
            raise RltuiError("there is nothing to change here")

    def _choose(self, dialog: ChooserDialog, row: FormRow) -> None:
        def take(name: str | None) -> None:
            if name:
                self._try(lambda draft: draft.set(row.path, toml_string(name)))

        self.app.push_screen(dialog, take)

    @on(Input.Changed, "#form-input")
    def _value_typed(self) -> None:
        """What the text would be, and what the child says of that."""
        if self.line.row is not None:
            self.session.candidate = self.line.taken(self.session.draft)
            self.ask_check()

    @on(Input.Submitted, "#form-input")
    def _value_entered(self) -> None:
        """What may be by itself is taken, also where another value speaks against it: it stays marked until that is mended."""
        draft = self.line.taken(self.session.draft)
        if draft is None:
            self.show_sides()
        else:
            row = self.line.row
            renamed = (row.kind, (*row.path[:-1], self.line.value.strip())) if row and self.line.renames else None
            self.session.do(draft)
            self._close_line()
            self.field_list.go_to(renamed)

    def _close_line(self) -> None:
        """Back to the rows; what was typed and not taken is dropped."""
        self.line.close()
        self.session.candidate = None
        self.field_list.focus()
        self.show_footer()
        self.ask_check()

    def action_accept(self) -> None:
        row, problem = self._highlighted(), self._suggested
        if problem is None:
            raise RltuiError("nothing is suggested here: ] goes to the next mistake")
        draft, path = editor.with_suggestion(self.session.draft, row.path, problem)
        self.field_list.unfold(path[:1])
        if self._try(lambda _: draft):
            self.field_list.go_to((row.kind, path))

    def action_add(self) -> None:
        """To the list that the cursor stands in."""
        place = editor.list_at(self.row)
        if place is None:
            raise RltuiError("there is nothing to add to here: go to rewards, resets, terminals or phases")
        kind = str(place[-1])
        if kind in OF_LISTS or kind == "phases":
            dialog = editor.element_chooser(self.reference, kind)
            self.app.push_screen(dialog, lambda name: self._add(place, name) if name else None)
        else:
            self._add(place, "")

    def _add(self, place: KeyPath, name: str) -> None:
        before = self.field_list.identities
        if self._try(lambda draft: editor.with_element(draft, self.reference, place, name)):
            self.field_list.unfold(place[:1])
            self.show_all()
            self.field_list.go_to_new(before)

    def action_remove(self) -> None:
        row, draft = self._highlighted(), self.session.draft
        if editor.without(draft, row).text == draft.text:
            raise RltuiError("it is not written: its default holds")
        self._try(lambda draft: editor.without(draft, row))

    def action_undo(self) -> None:
        if not self.session.undo():
            raise RltuiError("there is no change to take back")
        self.ask_check()

    def action_redo(self) -> None:
        if not self.session.redo():
            raise RltuiError("nothing was taken back")
        self.ask_check()

    # Going to rows

    def action_fold(self) -> None:
        if not self.field_list.fold():
            raise RltuiError("only a section or an element opens and closes; while a filter is on, all are open")
        self.show_all()

    def action_next_mistake(self) -> None:
        """What hides it is opened, and a filter ends."""
        problems = self.session.state.errors
        if self.session.check is None or (self.session.checking and not problems):
            raise RltuiError("it is being checked")
        if not any(problem.key for problem in problems):
            raise RltuiError("there is no mistake" if not problems else "it is about the whole text: tab shows it")
        clear_filter(self.field_list)
        self.field_list.go_to_problem()

    def action_filter(self) -> None:
        if self.line.row is None and not self.as_text:
            self.query_one(FilterBar).open(self.field_list, self.field_list)

    # The text

    def action_toggle_view(self) -> None:
        """From the form to the text, on the line of the row under the cursor; and back where it is TOML."""
        if self.line.row is not None:
            return
        written = self.session.draft.written
        if not self.as_text:
            line = written.lines.nearest(self.row.path) if self.row else None
            self.add_class("as-text")
            self.text_view.text = self.session.draft.text
            self.text_view.move_cursor(((line or 1) - 1, 0))
            self.text_view.focus()
        elif written.problem:
            self.notify(written.problem, title="The form needs TOML", severity="error")
            return
        else:
            self.remove_class("as-text")
            self.field_list.focus()
        self.show_footer()
        self.call_after_refresh(self.show_all)

    @on(TextArea.Changed, "#form-text")
    def _text_changed(self, event: TextArea.Changed) -> None:
        text = event.text_area.text
        if self.as_text and text != self.session.draft.text:
            self.session.do(Draft(text))
            self.ask_check()

    # Saving and leaving

    @work(exclusive=True, group="save")
    async def action_save(self) -> None:
        path = await save_profile(self.app, self.session)
        if path is None:
            self.ask_check()  # the session may have the file's text again
        elif bring_to_top(self):
            self.dismiss(path)

    def action_back(self) -> None:
        if self.line.row is not None:
            self._close_line()
        elif not self.as_text and clear_filter(self.field_list):
            return
        elif self.as_text and not self.session.draft.written.problem:
            self.action_toggle_view()
        else:
            self.action_leave()

    @work(exclusive=True, group="leave")
    async def action_leave(self) -> None:
        """Close the form, once it has been asked what is to become of changes."""
        if self.session.dirty:
            choices = [("c", None, "Go on editing"), ("s", "save", "Save"), ("d", "drop", "Drop")]
            title = f"Save {formatting.plural(self.session.changes, 'change')}?"
            choice = await self.app.push_screen_wait(ChoiceDialog(title, choices))
            if choice == "save":
                self.action_save()
            if choice != "drop":
                return
        if bring_to_top(self):
            self.dismiss()

    def action_show_help(self) -> None:
        self.app.push_screen(HelpScreen("form", "Profile form", [("", HELP)]))
