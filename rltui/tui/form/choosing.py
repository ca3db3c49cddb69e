"""The form's choices: what may be added to rewards, resets, terminals and phases; another component; one of a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rltui.profile.source import KeyPath
from rltui.profile.toml_text import toml_string
from rltui.tui.form import words
from rltui.tui.form.chooser import Chooser, Option
from rltui.tui.form.elements import appended, list_at, new_element, new_reward
from rltui.tui.form.reference import Reference, Registered
from rltui.tui.form.rows import OF_LISTS, FormRow
from rltui.tui.paint import Line, wrap

if TYPE_CHECKING:
    from rltui.tui.screens.form import FormScreen

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
    return lambda width: words.component_lines(known, width)


def _said(text: str) -> Callable[[int], list[Line]]:
    return lambda width: wrap(text, width)
