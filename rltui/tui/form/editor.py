"""Editing a field: what is typed as TOML, lists to choose from, the change of the draft."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

from textual.content import Content
from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.profile.edit import Draft
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath, key_path
from rltui.profile.toml_text import default_words, toml_key, toml_string
from rltui.registry import CHECKPOINTS, MIRROR, STARTER
from rltui.tui.checks.results import ProfileProblem
from rltui.tui.checks.schema import KeyReference, Reference, Registered
from rltui.tui.form import render
from rltui.tui.form.fields import OF_LISTS, FormRow, value_path
from rltui.tui.text import Line, wrap
from rltui.tui.widgets.dialogs import ChooserDialog, Chosen

OWN = "or your own: path/to/file.py:Class"
NEW_WEIGHT = "1.0"  # of a reward that is added


class ValueProblem(ValueError):
    """What was typed is no value of this kind; the text says what is expected."""


def toml_of(entry: KeyReference | None, typed: str) -> str:
    """TOML text, numbers as they are typed. ValueProblem where it cannot be of the field's kind, or is out of its range.

    `256 256` and `256, 256` are lists where a list is wanted; a word needs no quotes where text is.
    """
    text = typed.strip()
    nature = entry.nature if entry else "any"
    if nature == "string" or (entry is not None and text in entry.choices):
        return text if _is_quoted(text) or (text[:1] in "[{" and _parses(text)) else toml_string(text)
    if nature == "list" and text[:1] not in "[{":
        return "[" + ", ".join(_item(part) for part in re.split(r"[,\s×x]+", text) if part) + "]"
    if nature == "boolean":
        text = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text.lower(), text.lower())
    if not _parses(text) or (entry is not None and _is_outside(entry, tomllib.loads(f"v = {text}")["v"])):
        raise ValueProblem(f"expected {_expected(entry)}")
    return text


def typed_of(raw: str | None) -> str:
    """What the line shows for editing: text without its quotes, all else as written."""
    if raw is None:
        return ""
    if _is_quoted(raw):
        value = tomllib.loads(f"v = {raw}")["v"]
        if toml_string(value) == raw:
            return str(value)
    return raw


def _item(part: str) -> str:
    return part if _parses(part) else toml_string(part)


def _parses(text: str) -> bool:
    try:
        return list(tomllib.loads(f"v = {text}")) == ["v"]
    except (ValueError, RecursionError):
        return False


def _is_outside(entry: KeyReference, value: object) -> bool:
    """Beyond the field's bounds, whatever else the text says."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    low, high = entry.minimum, entry.maximum
    return (low is not None and value < low) or (high is not None and value > high)


def _is_quoted(text: str) -> bool:
    return len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0] and _parses(text)


def _expected(entry: KeyReference | None) -> str:
    if entry is None:
        return "a TOML value"
    return f"{entry.type}, {entry.range}" if entry.range else entry.type


def choices(row: FormRow) -> tuple[str, ...]:
    """The words that a field may have, as TOML text; empty where it may have others."""
    entry = row.entry
    if row.kind != "field" or entry is None or row.component or entry.nature != "string":
        return ()
    return tuple(toml_string(choice) for choice in entry.choices)


def list_at(row: FormRow | None) -> KeyPath | None:
    """The list of elements in which a row lies."""
    path = row.path if row else ()
    for length in range(len(path), 0, -1):
        if path[length - 1] in (*OF_LISTS, "phases") or (path[length - 1] == "stages" and row and row.kind == "add"):
            return path[:length]
    return None


def with_element(draft: Draft, reference: Reference, place: KeyPath, name: str) -> Draft:
    """With another phase by its profile, component by its kind, or table by its name. RltuiError.

    A list that is not written has its default first: what was in force stays.
    """
    kind = str(place[-1])
    if kind == "rewards":
        return _with_reward(draft, reference, place, name)
    entry = reference.entry(".".join(map(str, place)))
    if draft.written.value(place) is None and entry is not None and entry.default not in ("", "[]"):
        draft = draft.set(place, entry.default)
    key = "profile" if kind == "phases" else "kind" if kind in OF_LISTS else "name"
    return draft.add(place, f"{{{key} = {toml_string(name)}}}")


def _with_reward(draft: Draft, reference: Reference, place: KeyPath, name: str) -> Draft:
    """A weight of the sign that the reward's name promises; a table where it has parameters without a default."""
    if draft.written.value((*place, name)) is not None:
        raise RltuiError(f"{name} is there already")
    known = reference.component("reward", name)
    weight = "-1.0" if known and known.sign == -1 else NEW_WEIGHT
    needed = [entry for entry in known.parameters if entry.required] if known else []
    inline = ", ".join(f"{toml_key(entry.key)} = 0" for entry in needed)
    return draft.set((*place, name), f"{{weight = {weight}, {inline}}}" if inline else weight)


def without(draft: Draft, row: FormRow) -> Draft:
    """A key or an element out of the text, so that its default holds. RltuiError."""
    if row.kind in ("section", "group", "add"):
        raise RltuiError("only a field or an element can be taken out")
    if isinstance(row.path[-1], int):
        return draft.remove(row.path)
    return draft.unset(row.path) if row.written is not None else draft


def with_typed(draft: Draft, row: FormRow, typed: str) -> Draft:
    """With what was typed for a field. An empty line takes the key out, but a text may be empty. ValueProblem, RltuiError."""
    if not typed.strip() and not (row.entry and row.entry.nature == "string" and row.written is not None):
        return draft.unset(value_path(draft.written, row.path))
    value, path, holder = toml_of(row.entry, typed), value_path(draft.written, row.path), row.path[:-1]
    if path == row.path and "rewards" in holder[-2:-1] and not isinstance(draft.written.value(holder), dict):
        weight = draft.written.raw(holder)  # a reward that is a number becomes a table when it gets a parameter
        return draft.set(holder, f"{{weight = {weight}, {toml_key(str(row.path[-1]))} = {value}}}")
    return draft.set(path, value)


def component_chooser(reference: Reference, row: FormRow) -> ChooserDialog:
    """Another component in the place of the one that a field names."""
    found = component_options(reference, row.component)
    return ChooserDialog(f"Which {row.component}", found, OWN, row.shown_text.strip('"'))


def value_chooser(row: FormRow) -> ChooserDialog:
    """One of a few words."""
    about = _paragraph(row.doc)
    values = [Chosen(value.strip('"'), "", about) for value in choices(row)]
    return ChooserDialog(row.label, values, "", row.shown_text.strip('"'))


def element_chooser(reference: Reference, kind: str) -> ChooserDialog:
    """A component, or a phase's profile, that is added to a list. kind: the list's name."""
    if kind == "phases":
        from rltui.profile.locate import list_profiles

        profiles = [Chosen(each.name, "", _paragraph(str(each.path))) for each in list_profiles()]
        return ChooserDialog("Add a phase", profiles, "or a path")
    return ChooserDialog(f"Add a {OF_LISTS[kind]}", component_options(reference, OF_LISTS[kind]), OWN)


def component_options(reference: Reference, kind: str) -> list[Chosen]:
    """The registered components of a kind, by group."""
    found = reference.of_kind(kind)
    if kind == "player":
        itself = Registered("player", MIRROR, "The bot itself, learning from both sides.")
        earlier = Registered("player", CHECKPOINTS, "The bot's own earlier states; blue alone learns.")
        found = [
            itself,
            earlier,
            Registered("player", STARTER, "The bot that comes with rltui; blue alone learns."),
            *found,
        ]
    return sorted((Chosen(each.name, each.category, _component(each)) for each in found), key=lambda each: each.group)


def _component(known: Registered) -> Callable[[int], list[Line]]:
    return lambda width: render.component_lines(known, width)


def _paragraph(text: str) -> Callable[[int], list[Line]]:
    return lambda width: wrap(text, width)


def with_suggestion(draft: Draft, path: KeyPath, problem: ProfileProblem) -> tuple[Draft, KeyPath]:
    """With what was probably meant, and the key that it is at: another value, another name, or the same in another section."""
    suggestion, parts = problem.suggestion, key_path(problem.suggestion) or ()
    if problem.found != str(path[-1]):
        return draft.set(path, toml_string(suggestion)), path
    if len(parts) > 1 and parts[-1] == path[-1]:
        return draft.unset(path).set(parts, draft.written.raw(path) or ""), parts
    return draft.rename(path, suggestion), (*path[:-1], suggestion)


class FieldInput(Input):
    """Line in which a field's value is typed, or its name. row: None while it is closed. problem: why what stands there
    cannot be.
    """

    def __init__(self) -> None:
        super().__init__(id="form-input", select_on_focus=False)
        self.row: FormRow | None = None
        self.problem = ""
        self.renames = False
        self.border_subtitle = "enter takes it · esc gives up"

    def open(self, row: FormRow, *, renames: bool = False) -> None:
        """On the value that the row has, or on its name."""
        self.row, self.renames = row, renames
        self.border_title = Content(f"another name for {show_key(row.path)}" if renames else show_key(row.path))
        self.placeholder = default_words(row.entry.default) if row.entry and not renames else ""
        self.value = str(row.path[-1]) if renames else typed_of(row.written)
        self.cursor_position = len(self.value)
        self.add_class("open")
        self.focus()

    def close(self) -> None:
        self.row, self.problem = None, ""
        self.remove_class("open")

    def taken(self, draft: Draft) -> Draft | None:
        """The draft with what was typed for the open row; None, and `problem` says why, where that cannot be."""
        if self.row is None:
            return None
        try:
            typed = self.value.strip()
            found = draft.rename(self.row.path, typed) if self.renames else with_typed(draft, self.row, self.value)
            self.problem = ""
        except (ValueProblem, RltuiError) as error:
            self.problem = str(error)
            return None
        return found
