"""The form's rows: every key of the schema and what the text says of it. Pure.

A section is a table of the profile. Lists of tables (resets) and named tables (rewards) have a row for each element, with
its fields below it, and a last row that adds one; a group is such a list inside a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rltui.profile.edit import Written
from rltui.profile.source import KeyPath
from rltui.tui.form.reference import Entry, Reference

RowKind = Literal["section", "field", "group", "element", "add"]
TOP = "profile"  # the section of the keys that stand above all tables
COMPONENT_KEYS = {"obs.kind": "obs", "actions.table": "action table", "kind": "", "opponent": "player"}
OF_LISTS = {"resets": "reset", "terminals": "terminal", "rewards": "reward"}
DEFAULT_COMPONENTS = {"obs": "default", "actions": "rlgym"}


@dataclass(frozen=True)
class FormRow:
    """path: of the key in the text; of a section its own name. component: the kind of which one may be chosen here.

    written: the value as it stands in the text, None where the default holds. summary: of an element, its values in short.
    """

    kind: RowKind
    path: KeyPath
    label: str
    depth: int = 0
    entry: Entry | None = None
    written: str | None = None
    component: str = ""
    doc: str = ""
    summary: str = ""

    @property
    def identity(self) -> tuple[RowKind, KeyPath]:
        return self.kind, self.path


def form_rows(reference: Reference, text: Written, is_open: frozenset[KeyPath]) -> list[FormRow]:
    """All rows in view; what is not open hides what lies under it."""
    rows: list[FormRow] = []
    for name in section_names(reference):
        rows.append(FormRow("section", (name,), name, doc=_section_doc(reference, name)))
        if (name,) in is_open:
            rows += _section(reference, text, name, is_open)
    return rows


def section_names(reference: Reference) -> list[str]:
    """`profile` for the keys above all tables, then every table and list of tables."""
    names = [entry.key.partition(".")[0].partition("[")[0] for entry in reference.keys]
    return [TOP, *dict.fromkeys(name for name in names if _is_section(reference, name))]


def written_sections(reference: Reference, text: Written) -> frozenset[KeyPath]:
    """Those of which the text says something: they are open at first."""
    return frozenset((name,) for name in section_names(reference) if name == TOP or text.value((name,)) is not None)


def _is_section(reference: Reference, name: str) -> bool:
    return reference.section_doc(name) is not None or name in OF_LISTS


def _section_doc(reference: Reference, name: str) -> str:
    if name == TOP:
        return "What holds for the whole profile."
    entry = reference.entry(name)
    return reference.section_doc(name) or (entry.doc if entry else "")


def _section(reference: Reference, text: Written, name: str, is_open: frozenset[KeyPath]) -> Iterator[FormRow]:
    if name == TOP:
        for key, entry in reference.below(""):
            if not _is_section(reference, key):
                yield _field(text, (key,), entry, 1)
    elif name in OF_LISTS:
        yield from _several(reference, text, (name,), name, is_open, 1)
    else:
        yield from _table(reference, text, (name,), f"{name}.", is_open, 1)


def _table(
    reference: Reference, text: Written, path: KeyPath, prefix: str, is_open: frozenset[KeyPath], depth: int
) -> Iterator[FormRow]:
    """Every key of a table, then the parameters of the component that it names."""
    for name, entry in reference.below(prefix):
        below = (*path, name)
        if _has_elements(reference, f"{prefix}{name}", text, below):
            kind = OF_LISTS.get(name, "")
            yield FormRow("group", below, name, depth, entry, doc=entry.doc)
            yield from _several(reference, text, below, f"{prefix}{name}", is_open, depth + 1, kind)
        else:
            yield _field(text, below, entry, depth, _chosen_kind(f"{prefix}{name}", name, path))
    yield from _parameters(reference, text, path, depth)


def _has_elements(reference: Reference, key: str, text: Written, path: KeyPath) -> bool:
    """Tables in it: where it could be a choice as well (curriculum.stages), as the text has it."""
    tables = any(entry.key.startswith((f"{key}[].", f"{key}.<name>.")) for entry in reference.keys)
    entry = reference.entry(key)
    return tables and not (entry is not None and entry.choices and not isinstance(text.value(path), list))


def _chosen_kind(key: str, name: str, path: KeyPath) -> str:
    if key in COMPONENT_KEYS:
        return COMPONENT_KEYS[key]
    if name == "kind":
        return next((OF_LISTS[part] for part in reversed(path) if isinstance(part, str) and part in OF_LISTS), "")
    return COMPONENT_KEYS.get(name, "") if name == "opponent" else ""


def _several(
    reference: Reference,
    text: Written,
    path: KeyPath,
    key: str,
    is_open: frozenset[KeyPath],
    depth: int,
    kind: str = "",
) -> Iterator[FormRow]:
    """The elements of a list of tables, or of a table of named ones; where none is written, the default."""
    kind = kind or OF_LISTS.get(str(path[-1]), "")
    value, entry = text.value(path), reference.entry(key)
    names = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    if not names and entry is not None and entry.default not in ("", "[]", "{}") and len(path) == 1:
        yield FormRow("field", path, "default", depth, entry, text.raw(path), doc=entry.doc)
    for name in names:
        element = (*path, name)
        yield _element(text, element, depth, kind, reference)
        if element in is_open:
            yield from _inside(reference, text, element, key, kind, is_open, depth + 1)
    yield FormRow("add", path, f"add {kind or 'one'} …", depth, entry, component=kind, doc=entry.doc if entry else "")


def _element(text: Written, path: KeyPath, depth: int, kind: str, reference: Reference) -> FormRow:
    value = text.value(path)
    if isinstance(path[-1], str):
        name, shown = path[-1], text.raw(path) or ""
        if isinstance(value, dict):
            shown = _short(value, ())
    else:
        words = value if isinstance(value, dict) else {}
        name = str(words.get("kind") or words.get("profile") or words.get("name") or f"{path[-1] + 1}")
        shown = _short(words, ("kind", "profile", "name"))
    known = reference.component(kind, name)
    return FormRow("element", path, name, depth, None, text.raw(path), kind, known.doc if known else "", shown)


def _short(table: dict[str, object], without: tuple[str, ...]) -> str:
    return " · ".join(f"{key} {_shown(value)}" for key, value in table.items() if key not in without)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    return (
        f"{value:,}"
        if isinstance(value, int) and value >= 10_000
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _inside(
    reference: Reference, text: Written, path: KeyPath, key: str, kind: str, is_open: frozenset[KeyPath], depth: int
) -> Iterator[FormRow]:
    """The fields of one element."""
    if isinstance(path[-1], int):
        yield from _table(reference, text, path, f"{key}[].", is_open, depth)
        return
    for name, entry in reference.below(f"{key}.<name>."):
        is_short = not isinstance(text.value(path), dict)  # touch = 1 is short for touch = {weight = 1}
        row = _field(text, (*path, name), entry, depth)
        yield FormRow("field", row.path, name, depth, entry, text.raw(path) if is_short else row.written, "", entry.doc)
    yield from _parameters(reference, text, path, depth)


def _parameters(reference: Reference, text: Written, path: KeyPath, depth: int) -> Iterator[FormRow]:
    """Of the component that a table names; then what else stands in the table of a user's own."""
    kind, name = _component(text, path)
    known = reference.component(kind, name)
    entries = known.parameters if known else ()
    for entry in entries:
        yield _field(text, (*path, entry.key), entry, depth)
    value = text.value(path)
    if not kind or known is not None or not isinstance(value, dict):
        return
    for key in value:
        if key not in ("kind", "weight", "table") and reference.entry(f"{path[0]}.{key}") is None:
            yield _field(text, (*path, key), Entry(key, doc="A parameter of your own component."), depth)


def _component(text: Written, path: KeyPath) -> tuple[str, str]:
    if path == ("obs",):
        return "obs", str(text.value((*path, "kind")) or DEFAULT_COMPONENTS["obs"])
    if path == ("actions",):
        return "action table", str(text.value((*path, "table")) or DEFAULT_COMPONENTS["actions"])
    kind = OF_LISTS.get(str(path[-2]), "") if len(path) > 1 else ""
    return kind, str(path[-1]) if kind == "reward" else str(text.value((*path, "kind")) or "")


def _field(text: Written, path: KeyPath, entry: Entry, depth: int, component: str = "") -> FormRow:
    return FormRow("field", path, str(path[-1]), depth, entry, text.raw(path), component, entry.doc)
