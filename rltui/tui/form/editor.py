"""Editing a field: typed, stepped, chosen."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.profile.source import KeyPath, show_key
from rltui.profile.toml_text import default_words, toml_string
from rltui.tui.form import render
from rltui.tui.form.fields import (
    OF_LISTS,
    FormRow,
    appended,
    as_saved,
    list_at,
    new_element,
    new_reward,
    set_in,
    short_path,
)
from rltui.tui.form.schema_client import KeyReference, Reference, Registered
from rltui.tui.text import Line, wrap
from rltui.tui.widgets.dialogs import Chooser, Option

if TYPE_CHECKING:
    from rltui.tui.form.screen import FormScreen


OWN = "or your own: path/to/file.py:Class"


class Choosing:
    """Opens the lists over the form, and has the form do what was chosen."""

    def __init__(self, form: FormScreen) -> None:
        self._form = form

    def component(self, row: FormRow) -> None:
        """Another component in the place of the one that a field names."""
        self._one_of(row, f"Which {row.component}", options(self._form.reference, row.component), OWN)

    def value(self, row: FormRow, values: Sequence[str]) -> None:
        """One of a few words."""
        about = _said(row.doc)
        self._one_of(row, row.label, [Option(value.strip('"'), "", about) for value in values], "")

    def addition(self) -> None:
        """To the list that the cursor stands in."""
        place = list_at(self._form.row)
        if place is None:
            self._form.notify("a adds to rewards, resets, terminals and phases: go to one of these", severity="warning")
            return
        kind = OF_LISTS.get(str(place[-1]), "")
        if kind:
            dialog = Chooser(f"Add a {kind}", options(self._form.reference, kind), OWN)
            self._ask(dialog, lambda name: self._add(place, kind, name))
        elif place[-1] == "phases":
            from rltui.profile.locate import listing

            dialog = Chooser(
                "Add a phase", [Option(each.name, "", _said(str(each.path))) for each in listing()], "or a path"
            )
            self._ask(dialog, lambda name: self._append(place, f"{{profile = {toml_string(name)}}}"))
        else:
            self._append(place, '{name = ""}')

    def _one_of(self, row: FormRow, title: str, found: Sequence[Option], own: str) -> None:
        current = (row.written or (row.entry.default if row.entry else "")).strip('"')
        form = self._form

        def take(name: str) -> None:
            form.try_to(lambda: form.session.draft.set(row.path, toml_string(name)))

        self._ask(Chooser(title, found, own, current), take)

    def removal(self, row: FormRow) -> None:
        """A key or an element out of the file, so that its default holds."""
        draft = self._form.session.draft
        if row.kind == "section":
            self._form.notify("only a key or an element can be taken out", severity="warning")
        elif row.kind not in ("add", "group") and isinstance(row.path[-1], int):
            self._form.try_to(lambda: draft.remove(row.path))
        elif row.kind not in ("add", "group") and row.written is not None:
            self._form.try_to(lambda: draft.unset(row.path))

    def _ask(self, dialog: Chooser, then: Callable[[str], None]) -> None:
        self._form.app.push_screen(dialog, lambda name: then(name) if name else None)

    def _add(self, place: KeyPath, kind: str, name: str) -> None:
        form = self._form
        if kind != "reward":
            self._append(place, new_element(name))
        elif form.session.draft.written.value((*place, name)) is not None:
            form.notify(f"{name} is there already", severity="warning")
        else:
            form.shown_rows.open(place[:1])
            form.try_to(lambda: form.session.draft.set((*place, name), new_reward(form.reference, name)))

    def _append(self, place: KeyPath, element: str) -> None:
        form = self._form
        if form.try_to(lambda: appended(form.session.draft, form.reference, place, element)):
            form.shown_rows.open(place[:1])
            form.show_all()


def options(reference: Reference, kind: str) -> list[Option]:
    """The registered components of a kind, by group."""
    found = reference.of_kind(kind)
    if kind == "player":
        found = [Registered("player", "mirror", "The bot itself, learning from both sides."), *found]
    return sorted((Option(each.name, each.category, _about(each)) for each in found), key=lambda option: option.group)


def _about(known: Registered) -> Callable[[int], list[Line]]:
    return lambda width: render.component_lines(known, width)


def _said(text: str) -> Callable[[int], list[Line]]:
    return lambda width: wrap(text, width)


class ValueProblem(ValueError):
    """What was typed is no value of this kind; the text says what is expected."""


def toml_of(entry: KeyReference | None, typed: str) -> str:
    """TOML text, numbers as they are typed. ValueProblem where it cannot be of the field's kind at all.

    `256 256` and `256, 256` are lists where a list is wanted; a word needs no quotes where text is.
    """
    text = typed.strip()
    nature = entry.nature if entry else "any"
    if nature == "string" or (entry is not None and text in entry.choices):
        return text if _is_quoted(text) or _is_table(text) else toml_string(text)
    if nature == "list" and text[:1] not in "[{":
        return "[" + ", ".join(_item(part) for part in re.split(r"[,\s×x]+", text) if part) + "]"
    if nature == "boolean":
        text = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text.lower(), text.lower())
    if not _parses(text):
        raise ValueProblem(f"expected {_expected(entry)}")
    return text


def typed_of(written: str | None) -> str:
    """What the line shows for editing: text without its quotes, all else as written."""
    if written is None:
        return ""
    if _is_quoted(written):
        value = tomllib.loads(f"v = {written}")["v"]
        if toml_string(value) == written:
            return str(value)
    return written


def steps(entry: KeyReference | None, component: bool) -> tuple[str, ...]:
    """All values that a field steps through: TOML text; empty where there are too many."""
    if entry is None or component:
        return ()
    if entry.nature == "boolean":
        return ("true", "false")
    return tuple(toml_string(choice) for choice in entry.choices) if entry.nature == "string" else ()


def _item(part: str) -> str:
    return part if _parses(part) else toml_string(part)


def _parses(text: str) -> bool:
    try:
        return list(tomllib.loads(f"v = {text}")) == ["v"]
    except (ValueError, RecursionError):
        return False


def _is_quoted(text: str) -> bool:
    return len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0] and _parses(text)


def _is_table(text: str) -> bool:
    return text[:1] in "[{" and _parses(text)


def _expected(entry: KeyReference | None) -> str:
    if entry is None:
        return "a TOML value"
    return f"{entry.type}, {entry.range}" if entry.range else entry.type


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
