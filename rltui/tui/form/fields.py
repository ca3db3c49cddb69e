"""The form's rows: every key of the schema, with what the text says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rltui.profile.edit import ParsedText
from rltui.profile.toml_lines import KeyPath
from rltui.tui.checks.schema import KeyReference, Reference

RowKind = Literal["section", "field", "group", "element", "add"]
Identity = tuple[RowKind, KeyPath]
TOP = "profile"  # the section of the keys that stand above all tables
COMPONENT_KEYS = {"obs.kind": "obs", "actions.table": "action table", "kind": "", "opponent": "player"}
OF_LISTS = {"resets": "reset", "terminals": "terminal", "rewards": "reward"}
DEFAULT_COMPONENTS = {"obs": "default", "actions": "rlgym"}
OWN_PARAMETER = "A parameter of your own component."


@dataclass(frozen=True)
class FormRow:
    """A section is a table of the profile. Lists of tables (resets) and tables of named ones (rewards) have a row for each
    element, with its fields below it, and a last row that adds one; a group is such a list inside a table.

    path: of the key in the text; of a section its own name. component: the kind of which one may be chosen here.
    written: the value as it stands in the text, None where the default holds. summary: of an element, its values in short.
    """

    kind: RowKind
    path: KeyPath
    label: str
    depth: int = 0
    entry: KeyReference | None = None
    written: str | None = None
    component: str = ""
    doc: str = ""
    summary: str = ""

    @property
    def identity(self) -> Identity:
        return self.kind, self.path

    @property
    def shown_text(self) -> str:
        """The value that holds, as TOML text."""
        return self.written or (self.entry.default if self.entry else "")


def form_rows(reference: Reference, text: ParsedText) -> list[FormRow]:
    """All rows, each below the one that holds it."""
    return list(_ReferenceRows(reference, text).sections())


def section_names(reference: Reference) -> list[str]:
    """`profile` for the keys above all tables, then every table and list of tables."""
    names = [entry.key.partition(".")[0].partition("[")[0] for entry in reference.keys]
    return [TOP, *dict.fromkeys(name for name in names if _is_section(reference, name))]


def written_sections(reference: Reference, text: ParsedText) -> frozenset[KeyPath]:
    """Those of which the text says something: they are open at first."""
    return frozenset((name,) for name in section_names(reference) if name == TOP or text.value((name,)) is not None)


def value_path(text: ParsedText, path: KeyPath) -> KeyPath:
    """Where a field's value stands: `touch = 1` is short for `touch = {weight = 1}`."""
    holder = path[:-1]
    is_weight = path[-1] == "weight" and "rewards" in holder[-2:-1]
    return holder if is_weight and text.value(holder) is not None and not isinstance(text.value(holder), dict) else path


def raw_value(text: ParsedText, path: KeyPath) -> str | None:
    """A field's value as TOML text; None where the default holds."""
    return text.raw(value_path(text, path))


def _is_section(reference: Reference, name: str) -> bool:
    return reference.section_doc(name) is not None or name in OF_LISTS


@dataclass(frozen=True)
class _ReferenceRows:
    """Generator of the rows of a text."""

    reference: Reference
    text: ParsedText

    def sections(self) -> Iterator[FormRow]:
        for name in section_names(self.reference):
            yield FormRow("section", (name,), name, doc=self._section_doc(name))
            yield from self._section(name)

    def _section_doc(self, name: str) -> str:
        if name == TOP:
            return "What holds for the whole profile."
        entry = self.reference.entry(name)
        return self.reference.section_doc(name) or (entry.doc if entry else "")

    def _section(self, name: str) -> Iterator[FormRow]:
        if name == TOP:
            sections = frozenset(section_names(self.reference))
            keys = [(key, entry) for key, entry in self.reference.below("") if key not in sections]
            yield from self._with_others((), 1, [self._field((key,), entry, 1) for key, entry in keys], sections)
        elif name in OF_LISTS:
            yield from self._elements((name,), name, 1)
        else:
            yield from self._table((name,), f"{name}.", 1)

    def _table(self, path: KeyPath, prefix: str, depth: int) -> Iterator[FormRow]:
        """Every key of a table, then the parameters of the component that it names."""
        yield from self._with_others(path, depth, self._known(path, prefix, depth))

    def _with_others(
        self, path: KeyPath, depth: int, rows: Iterable[FormRow], known: frozenset[str] = frozenset()
    ) -> Iterator[FormRow]:
        """Then what else stands in the table: misspelt keys, and parameters of a user's own component. known: beside rows'."""
        for row in rows:
            known |= {str(row.path[len(path)])}
            yield row
        value, (kind, name) = self.text.value(path), self._component(path)
        doc = OWN_PARAMETER if kind and self.reference.component(kind, name) is None else ""
        for key in value if isinstance(value, dict) else ():
            if key not in known:
                yield self._field((*path, key), KeyReference(key, doc=doc), depth)

    def _known(self, path: KeyPath, prefix: str, depth: int) -> Iterator[FormRow]:
        for name, entry in self.reference.below(prefix):
            below = (*path, name)
            if self._has_elements(f"{prefix}{name}", below):
                yield FormRow("group", below, name, depth, entry, doc=entry.doc)
                yield from self._elements(below, f"{prefix}{name}", depth + 1)
            else:
                yield self._field(below, entry, depth, _component_kind(f"{prefix}{name}", name, path))
        yield from self._parameters(path, depth)

    def _has_elements(self, key: str, path: KeyPath) -> bool:
        """Tables in it: where it could be a choice as well (curriculum.stages), as the text has it."""
        tables = any(entry.key.startswith((f"{key}[].", f"{key}.<name>.")) for entry in self.reference.keys)
        entry = self.reference.entry(key)
        return tables and not (entry is not None and entry.choices and not isinstance(self.text.value(path), list))

    def _elements(self, path: KeyPath, key: str, depth: int) -> Iterator[FormRow]:
        """Of a list of tables, or of a table of named ones; where none is written, the default."""
        kind = OF_LISTS.get(str(path[-1]), "")
        value, entry = self.text.value(path), self.reference.entry(key)
        names = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
        if not names and entry is not None and entry.default not in ("", "[]", "{}") and len(path) == 1:
            yield FormRow("field", path, "default", depth, entry, self.text.raw(path), doc=entry.doc)
        for name in names:
            element = (*path, name)
            yield self._element(element, depth, kind)
            yield from self._fields_of(element, key, depth + 1)
        doc = entry.doc if entry else ""
        yield FormRow("add", path, f"add {kind or 'one'} …", depth, entry, component=kind, doc=doc)

    def _element(self, path: KeyPath, depth: int, kind: str) -> FormRow:
        value, raw = self.text.value(path), self.text.raw(path)
        table = value if isinstance(value, dict) else {}
        if isinstance(path[-1], str):
            name, summary = path[-1], _summary(table) if isinstance(value, dict) else raw or ""
        else:
            name = str(table.get("kind") or table.get("profile") or table.get("name") or f"{path[-1] + 1}")
            summary = _summary(table, without=("kind", "profile", "name"))
        known = self.reference.component(kind, name)
        return FormRow("element", path, name, depth, None, raw, kind, known.doc if known else "", summary)

    def _fields_of(self, path: KeyPath, key: str, depth: int) -> Iterator[FormRow]:
        """Of one element."""
        if isinstance(path[-1], int):
            yield from self._table(path, f"{key}[].", depth)
            return
        yield from self._with_others(path, depth, self._of_named(path, key, depth))

    def _of_named(self, path: KeyPath, key: str, depth: int) -> Iterator[FormRow]:
        is_short = not isinstance(self.text.value(path), dict)  # touch = 1 is short for touch = {weight = 1}
        for name, entry in self.reference.below(f"{key}.<name>."):
            below = (*path, name)
            raw = self.text.raw(path if is_short else below)
            yield FormRow("field", below, name, depth, entry, raw, "", entry.doc)
        yield from self._parameters(path, depth)

    def _parameters(self, path: KeyPath, depth: int) -> Iterator[FormRow]:
        """Of the component that a table names."""
        known = self.reference.component(*self._component(path))
        for entry in known.parameters if known else ():
            yield self._field((*path, entry.key), entry, depth)

    def _component(self, path: KeyPath) -> tuple[str, str]:
        """(kind, name) of the component that a table is about."""
        if path == ("obs",):
            return "obs", str(self.text.value((*path, "kind")) or DEFAULT_COMPONENTS["obs"])
        if path == ("actions",):
            return "action table", str(self.text.value((*path, "table")) or DEFAULT_COMPONENTS["actions"])
        kind = OF_LISTS.get(str(path[-2]), "") if len(path) > 1 else ""
        return kind, str(path[-1]) if kind == "reward" else str(self.text.value((*path, "kind")) or "")

    def _field(self, path: KeyPath, entry: KeyReference, depth: int, component: str = "") -> FormRow:
        return FormRow("field", path, str(path[-1]), depth, entry, self.text.raw(path), component, entry.doc)


def _component_kind(key: str, name: str, path: KeyPath) -> str:
    if key in COMPONENT_KEYS:
        return COMPONENT_KEYS[key]
    if name == "kind":
        return next((OF_LISTS[part] for part in reversed(path) if isinstance(part, str) and part in OF_LISTS), "")
    return COMPONENT_KEYS.get(name, "") if name == "opponent" else ""


def _summary(table: dict[str, object], without: tuple[str, ...] = ()) -> str:
    return " · ".join(f"{key} {_value(value)}" for key, value in table.items() if key not in without)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value(item)}" for key, item in value.items())
    if isinstance(value, int) and value >= 10_000:
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
