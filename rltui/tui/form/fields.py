"""Schema + text → rows; finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rltui.errors import RltuiError
from rltui.profile.edit import Draft, Written
from rltui.profile.source import KeyPath, show_key
from rltui.profile.toml_text import toml_key, toml_string
from rltui.tui.form.schema_client import KeyReference, Reference
from rltui.tui.widgets.filter_bar import Pattern

# The form's rows: every key of the schema and what the text says of it. Pure.
#
# A section is a table of the profile. Lists of tables (resets) and named tables (rewards) have a row for each element, with
# its fields below it, and a last row that adds one; a group is such a list inside a table.

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
    entry: KeyReference | None = None
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
            yield _field(text, (*path, key), KeyReference(key, doc="A parameter of your own component."), depth)


def _component(text: Written, path: KeyPath) -> tuple[str, str]:
    if path == ("obs",):
        return "obs", str(text.value((*path, "kind")) or DEFAULT_COMPONENTS["obs"])
    if path == ("actions",):
        return "action table", str(text.value((*path, "table")) or DEFAULT_COMPONENTS["actions"])
    kind = OF_LISTS.get(str(path[-2]), "") if len(path) > 1 else ""
    return kind, str(path[-1]) if kind == "reward" else str(text.value((*path, "kind")) or "")


def _field(text: Written, path: KeyPath, entry: KeyReference, depth: int, component: str = "") -> FormRow:
    return FormRow("field", path, str(path[-1]), depth, entry, text.raw(path), component, entry.doc)


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


Identity = tuple[RowKind, KeyPath]


def hiding(keys: Collection[str], rows: Iterable[FormRow]) -> set[KeyPath]:
    """The rows that have to be open for these keys to be seen."""
    return {row.path for row in rows if any(key.startswith(show_key(row.path)) for key in keys)}


def after(here: object, rows: Mapping[Identity, FormRow], wrong: Collection[Identity]) -> Identity | None:
    """The next wrong row behind the cursor's, else the first; None where there is none."""
    order = {identity: index for index, identity in enumerate(rows)}
    place = next((index for identity, index in order.items() if identity == here), 0)
    return min(wrong, key=lambda identity: (order[identity] <= place, order[identity]), default=None)


HOLDERS = ("section", "element", "group")  # rows that have others below them


def all_open(reference: Reference, text: Written) -> frozenset[KeyPath]:
    """What has to be open for every row to be there."""
    is_open: frozenset[KeyPath] = frozenset((name,) for name in section_names(reference))
    while True:
        rows = form_rows(reference, text, is_open)
        more = is_open | {row.path for row in rows if row.kind == "element"}
        if more == is_open:
            return is_open
        is_open = more


def found(rows: Sequence[FormRow], pattern: Pattern) -> list[FormRow]:
    """The rows that match, each below the rows that hold it. rows: all of them."""
    kept: set[object] = set()
    above: list[FormRow] = []
    for row in rows:
        while above and above[-1].depth >= row.depth:
            above.pop()
        if matches(row, pattern):
            kept |= {row.identity, *(holder.identity for holder in above)}
        if row.kind in HOLDERS:
            above.append(row)
    return [row for row in rows if row.identity in kept]


def matches(row: FormRow, pattern: Pattern) -> bool:
    """By its key or its doc. Headings, and rows that add, are no fields."""
    return row.kind in ("field", "element") and pattern.matches(show_key(row.path), row.doc)


def holding(rows: Sequence[FormRow], wanted: FormRow) -> set[KeyPath]:
    """The rows that have to be open for this one to be seen. rows: all of them."""
    above: list[FormRow] = []
    for row in rows:
        while above and above[-1].depth >= row.depth:
            above.pop()
        if row.identity == wanted.identity:
            break
        if row.kind in HOLDERS:
            above.append(row)
    return {row.path for row in above}
