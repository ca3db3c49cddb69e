"""The form's lists and choices: adding rewards, resets and terminals, choosing components, setting parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rltui.errors import RltuiError
from rltui.profile.draft import Draft
from rltui.profile.problems import KeyPath
from rltui.profile.toml_text import toml_key, toml_string
from rltui.tui.form import words
from rltui.tui.form.chooser import Chooser, Option
from rltui.tui.form.reference import Reference, Registered
from rltui.tui.form.rows import OF_LISTS, FormRow
from rltui.tui.paint import Line, wrap

if TYPE_CHECKING:
    from textual.app import App

    from rltui.tui.form.session import EditSession

OWN = "or your own: path/to/file.py:Class"
FRESH = "1.0"  # weight of what is added


class AddingMixin:
    """What FormScreen does with lists and components."""

    if TYPE_CHECKING:
        app: App[Any]
        session: EditSession
        reference: Reference
        is_open: frozenset[KeyPath]
        do: Callable[[Draft], None]
        try_to: Callable[[KeyPath, str | None], None]
        notify: Callable[..., None]

        @property
        def row(self) -> FormRow | None: ...

    def choose_component(self, row: FormRow) -> None:
        """Another component in the place of the one that a field names."""
        current = row.written or (row.entry.default if row.entry else "")
        dialog = Chooser(f"Which {row.component}", self._options(row.component), OWN, current.strip('"'))
        self.app.push_screen(dialog, lambda name: self.try_to(row.path, toml_string(name)) if name else None)

    def choose_value(self, row: FormRow, values: Sequence[str]) -> None:
        """One of a few words."""
        about = _said(row.doc)
        options = [Option(value.strip('"'), "", about) for value in values]
        current = (row.written or (row.entry.default if row.entry else "")).strip('"')
        dialog = Chooser(row.label, options, "", current)
        self.app.push_screen(dialog, lambda name: self.try_to(row.path, toml_string(name)) if name else None)

    def action_add(self) -> None:
        """To the list that the cursor stands in."""
        place = self._list_at(self.row)
        if place is None:
            self.notify("a adds to rewards, resets, terminals and phases: go to one of these", severity="warning")
            return
        kind = OF_LISTS.get(str(place[-1]), "")
        if kind:
            dialog = Chooser(f"Add a {kind}", self._options(kind), OWN)
            self.app.push_screen(dialog, lambda name: self._added(place, kind, name) if name else None)
        elif place[-1] == "phases":
            from rltui.profile.locate import listing

            options = [Option(each.name, "", _said(str(each.path))) for each in listing()]
            dialog = Chooser("Add a phase", options, "or a path")
            self.app.push_screen(
                dialog, lambda name: self._append(place, f"{{profile = {toml_string(name)}}}") if name else None
            )
        else:
            self._append(place, '{name = ""}')

    def _list_at(self, row: FormRow | None) -> KeyPath | None:
        """The list of elements in which a row lies."""
        path = row.path if row else ()
        for length in range(len(path), 0, -1):
            if path[length - 1] in (*OF_LISTS, "phases") or (
                path[length - 1] == "stages" and row and row.kind == "add"
            ):
                return path[:length]
        return None

    def _added(self, place: KeyPath, kind: str, name: str) -> None:
        if kind != "reward":
            self._append(place, f"{{kind = {toml_string(name)}}}")
            return
        if self.session.draft.written.value((*place, name)) is not None:
            self.notify(f"{name} is there already", severity="warning")
            return
        known = self.reference.component("reward", name)
        weight = "-1.0" if known and known.sign == -1 else FRESH
        needed = [entry for entry in known.parameters if entry.required] if known else []
        inline = ", ".join(f"{toml_key(entry.key)} = 0" for entry in needed)
        value = f"{{weight = {weight}, {inline}}}" if inline else weight
        self.is_open |= {place[:1]}
        self.try_to((*place, name), value)

    def _append(self, place: KeyPath, element: str) -> None:
        """A list that is not written has its default first: what was in force stays."""
        draft = self.session.draft
        entry = self.reference.entry(".".join(map(str, place)))
        try:
            if draft.written.value(place) is None and entry is not None and entry.default not in ("", "[]"):
                draft = draft.set(place, entry.default)
            self.is_open |= {place[:1]}
            self.do(draft.add(place, element))
        except RltuiError as error:
            self.notify(error.message, severity="error")

    def short_path(self, row: FormRow) -> KeyPath:
        """Where a field's value stands: `touch = 1` is short for `touch = {weight = 1}`."""
        holder = row.path[:-1]
        short = "rewards" in holder[-2:-1] and self.session.draft.written.value(holder) is not None
        is_number = not isinstance(self.session.draft.written.value(holder), dict)
        return holder if short and is_number and row.label == "weight" else row.path

    def set_in(self, row: FormRow, value: str) -> Draft:
        """The draft with a field set; a reward that is a number becomes a table when it gets a parameter."""
        draft, path = self.session.draft, self.short_path(row)
        holder = row.path[:-1]
        weight = draft.written.raw(holder)
        if path == row.path and "rewards" in holder[-2:-1] and not isinstance(draft.written.value(holder), dict):
            return draft.set(holder, f"{{weight = {weight}, {toml_key(row.label)} = {value}}}")
        return draft.set(path, value)

    def _options(self, kind: str) -> list[Option]:
        found = self.reference.of_kind(kind)
        if kind == "player":
            mirror = Registered("player", "mirror", "The bot itself, learning from both sides.")
            found = [mirror, *found]
        options = [Option(each.name, each.category, _about(each)) for each in found]
        return sorted(options, key=lambda option: option.group)


def _about(known: Registered) -> Callable[[int], list[Line]]:
    return lambda width: words.component_lines(known, width)


def _said(text: str) -> Callable[[int], list[Line]]:
    return lambda width: wrap(text, width)
