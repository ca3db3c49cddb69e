"""Where the form's values and list elements stand in the text, and the drafts that set or add them. Pure."""

from __future__ import annotations

from rltui.errors import RltuiError
from rltui.profile.edit import Draft, Written
from rltui.profile.source import KeyPath, show_key
from rltui.profile.toml_text import toml_key, toml_string
from rltui.tui.form.reference import Reference
from rltui.tui.form.rows import OF_LISTS, FormRow

SEVERAL_LINES = "{…}"  # in the place of the text of a table with a header
FRESH = "1.0"  # weight of a reward that is added


def list_at(row: FormRow | None) -> KeyPath | None:
    """The list of elements in which a row lies."""
    path = row.path if row else ()
    for length in range(len(path), 0, -1):
        if path[length - 1] in (*OF_LISTS, "phases") or (path[length - 1] == "stages" and row and row.kind == "add"):
            return path[:length]
    return None


def new_element(name: str) -> str:
    """A component as an element of a list: what the text gets."""
    return f"{{kind = {toml_string(name)}}}"


def new_reward(reference: Reference, name: str) -> str:
    """A weight of the sign that its name promises; a table where it has parameters without a default."""
    known = reference.component("reward", name)
    weight = "-1.0" if known and known.sign == -1 else FRESH
    needed = [entry for entry in known.parameters if entry.required] if known else []
    inline = ", ".join(f"{toml_key(entry.key)} = 0" for entry in needed)
    return f"{{weight = {weight}, {inline}}}" if inline else weight


def appended(draft: Draft, reference: Reference, place: KeyPath, element: str) -> Draft:
    """A list that is not written has its default first: what was in force stays. RltuiError."""
    entry = reference.entry(".".join(map(str, place)))
    if draft.written.value(place) is None and entry is not None and entry.default not in ("", "[]"):
        draft = draft.set(place, entry.default)
    return draft.add(place, element)


def short_path(draft: Draft, row: FormRow) -> KeyPath:
    """Where a field's value stands: `touch = 1` is short for `touch = {weight = 1}`."""
    holder = row.path[:-1]
    value = draft.written.value(holder)
    short = "rewards" in holder[-2:-1] and value is not None and not isinstance(value, dict)
    return holder if short and row.path[-1] == "weight" else row.path


def set_in(draft: Draft, row: FormRow, value: str) -> Draft:
    """The draft with a field set; a reward that is a number becomes a table when it gets a parameter. RltuiError."""
    path, holder = short_path(draft, row), row.path[:-1]
    weight = draft.written.raw(holder)
    if path == row.path and "rewards" in holder[-2:-1] and not isinstance(draft.written.value(holder), dict):
        return draft.set(holder, f"{{weight = {weight}, {toml_key(str(row.path[-1]))} = {value}}}")
    return draft.set(path, value)


def as_saved(draft: Draft, saved: Written, row: FormRow) -> Draft:
    """The draft with a row's value as in the file.

    Of a list, and of a reward that is a number in one of the two texts and a table in the other, only the whole can be put
    back: that is done. RltuiError where the file has it in several lines.
    """
    path = next((row.path[:index] for index, part in enumerate(row.path) if isinstance(part, int)), row.path)
    holder = path[:-1]
    if "rewards" in holder[-2:-1]:
        tables = [isinstance(text.value(holder), dict) for text in (draft.written, saved)]
        path = path if all(tables) else holder
    raw = saved.raw(path)
    if raw == SEVERAL_LINES and draft.base != saved.text:
        raise RltuiError(f"{show_key(path)} stands in several lines of the file: u takes its changes back one by one")
    return draft.set(path, raw) if raw is not None else draft.unset(path)
