"""Where two profiles differ, defaults filled in: what counts, not how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rltui.profile.lessons import lesson
from rltui.profile.models import Profile
from rltui.profile.problems import KeyPath, show_key
from rltui.profile.resolved import resolved
from rltui.profile.toml_text import toml_value


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
    return {**resolved(lesson(profile)), "curriculum": {"phases": tuple(phase.name for phase in profile.phases)}}


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
