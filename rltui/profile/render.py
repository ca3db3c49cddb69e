"""A whole profile as commented TOML, which reads back as the same profile; differences of two profiles."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rltui.formatting import duration
from rltui.profile.advice import half_life
from rltui.profile.components import placed_components
from rltui.profile.curriculum import task_profile
from rltui.profile.models import Profile
from rltui.profile.resolved import resolved
from rltui.profile.schema import SchemaKey, all_keys, component_entry, own_doc, sections
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath
from rltui.profile.toml_text import default_words, toml_key, toml_value
from rltui.registry import Kind, resolve

WIDTH = 110


def render(profile: Profile) -> str:
    """TOML text, LF line ends."""
    data = resolved(profile)
    entries = {entry.key: entry for entry in all_keys()}
    blocks = [_top_level(data, entries)]
    blocks += [
        _section(name, doc, data[name], entries, profile) for name, doc in _sections_in_order().items() if name in data
    ]
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _sections_in_order() -> dict[str, str]:
    docs = sections()
    return {name: docs[name] for name in Profile.model_fields if name in docs}


def _top_level(data: Mapping[str, Any], entries: Mapping[str, SchemaKey]) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        if key in sections():
            continue
        lines += ["", *_comment(_explain(entries[key]))] if lines else _comment(_explain(entries[key]))
        lines += _statement(key, value)
    return lines


def _statement(key: str, value: Any, remark: str = "") -> list[str]:
    """One line, or one for each table of a list."""
    if isinstance(value, tuple) and any(isinstance(item, Mapping) for item in value):
        return [f"{toml_key(key)} = [", *_tables(key, value), "]"]
    return [f"{toml_key(key)} = {toml_value(value)}{remark}"]


def _tables(key: str, tables: Any) -> Iterator[str]:
    kinds: dict[str, Kind] = {"resets": "reset", "terminals": "terminal"}
    for table in tables:
        if key in kinds:
            yield from (f"    {line}" for line in _comment(summary(kinds[key], table["kind"])))
        yield f"    {toml_value(table)},"


def _section(
    name: str, doc: str, table: Mapping[str, Any], entries: Mapping[str, SchemaKey], profile: Profile
) -> list[str]:
    if name == "rewards":
        return [*_comment(doc), "[rewards]", *_rewards(table)]
    parameters = _parameters(name, table)
    lines = [*_comment(doc), f"[{name}]"]
    for key, value in table.items():
        entry = entries.get(f"{name}.{key}") or parameters.get(key)
        lines += _comment(_explain(entry)) if entry is not None else []
        lines += _statement(key, value, _remark(f"{name}.{key}", profile))
    return lines


def _parameters(section: str, table: Mapping[str, Any]) -> dict[str, SchemaKey]:
    """The parameters of the component that [obs] or [actions] names."""
    return {
        entry.key: entry
        for part in placed_components({section: table})
        if part.path == (section,)
        for entry in component_entry(part.kind, part.name).parameters
    }


def _rewards(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        yield from _comment(summary("reward", name))
        yield f"{toml_key(name)} = {toml_value(value)}"


def summary(kind: Kind, name: str) -> str:
    """The first paragraph of what a component's class says of itself."""
    return " ".join(own_doc(resolve(kind, name)).partition("\n\n")[0].split())


def _explain(entry: SchemaKey) -> str:
    """Meaning, then what else it could be: `Passes over the data in each update. (1 to 100, default 2)`."""
    allowed = entry.range or (entry.type if len(entry.choices) > 1 else "")
    unit = f"{'' if allowed else 'in '}{entry.unit}" if entry.unit else ""
    default = default_words(entry.default)
    obvious = not default or default == '""' or "{" in default or len(entry.choices) == 1
    details = ", ".join(filter(None, (f"{allowed} {unit}".strip(), "" if obvious else f"default {default}")))
    return f"{entry.doc} ({details})" if details else entry.doc


def _remark(key: str, profile: Profile) -> str:
    if key != "ppo.gamma":
        return ""
    seconds = half_life(profile.ppo.gamma, profile.tick_skip)
    return f"  # half-life {duration(seconds)}: a reward that far ahead counts half"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False)


@dataclass(frozen=True)
class Difference:
    """One key. left, right: TOML text, None where a side does not have the key."""

    key: str
    left: str | None
    right: str | None


def differences(left: Profile, right: Profile) -> list[Difference]:
    """Keys in the order of the left profile, then what only the right one has. A campaign beside a profile without phases
    is compared as it begins, and its phases are one line; an element that only one side has is one line too.
    """
    alone = bool(left.phases) != bool(right.phases)
    mine, theirs = (dict(_flat(_compared(profile, alone), ())) for profile in (left, right))
    found = [key for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)]
    whole = {key for key in found if mine.get(key, "") == "{}" or theirs.get(key, "") == "{}"}
    return [
        Difference(show_key(key), _side(mine, key, whole), _side(theirs, key, whole))
        for key in found
        if not any(key[:length] in whole for length in range(len(key)))
    ]


def _compared(profile: Profile, alone: bool) -> dict[str, Any]:
    """alone: the other side has no phases, or this one has none."""
    if not alone or not profile.phases:
        return resolved(profile)
    return {**resolved(task_profile(profile)), "curriculum": {"phases": tuple(phase.name for phase in profile.phases)}}


def _side(values: Mapping[KeyPath, str], key: KeyPath, whole: set[KeyPath]) -> str | None:
    """Of an element that the other side lacks: with all that is in it."""
    if key not in whole or key not in values:
        return values.get(key)
    inside = [
        f"{show_key(path[len(key) :])} = {text}" for path, text in values.items() if path[: len(key)] == key != path
    ]
    return "{" + ", ".join(inside) + "}"


def _flat(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if path[-1:] == ("rewards",):
                yield (*path, key), "{}"  # an element, as those of lists
            yield from _flat(item, (*path, key))
    elif isinstance(value, tuple) and value and all(isinstance(item, Mapping) for item in value):
        yield from _named(value, path) if "kind" in value[0] else _numbered(value, path)
    elif path[-2:-1] == ("rewards",):
        yield (*path, "weight"), toml_value(value)  # touch = 1 is short for touch = {weight = 1}
    else:
        yield path, toml_value(value)


def _numbered(tables: Sequence[Any], path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    for index, table in enumerate(tables):
        yield from _flat(table, (*path, index))


def _named(tables: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Tables by their kind, so that another order is no difference; the second of a kind is `random 2`."""
    seen: dict[str, int] = {}
    for table in tables:
        kind = str(table["kind"])
        seen[kind] = seen.get(kind, 0) + 1
        name = kind if seen[kind] == 1 else f"{kind} {seen[kind]}"
        yield (*path, name), "{}"
        yield from _flat({key: item for key, item in table.items() if key != "kind"}, (*path, name))
