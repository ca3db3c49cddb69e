"""What two saved profiles differ in, key by key, and which of that changes what is paid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rltui import safe_io
from rltui.events.records import CurriculumPlanned
from rltui.profile.source import MAX_BYTES
from rltui.profile.toml_text import toml_values

ABSENT = "not there"
PAYING = ("rewards", "[rewards]", "reward_options", "[reward_options]")  # tables; in brackets: only one side has it
PROSE = ("description",)  # keys that are not compared


class KeyChange(msgspec.Struct, frozen=True):
    """One key, or a whole table that only one side has. left, right: as TOML; None where it is not there."""

    key: str
    left: str | None = None
    right: str | None = None


def saved_changes(left: Path, right: Path) -> list[KeyChange] | str:
    """Between the profile.toml of two saved states; a reason in words where one cannot be read."""
    read: list[dict[str, str]] = []
    for path in (left, right):
        try:
            read.append(dict(_flat(toml_values(safe_io.read_text(path, MAX_BYTES)), "")))
        except (OSError, ValueError) as error:
            return f"the profiles cannot be compared: {path}: {safe_io.reason(error)}"
    mine, theirs = read
    found = [
        KeyChange(key, mine.get(key), theirs.get(key)) for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)
    ]
    return condensed(found)


def with_plans(
    changes: list[KeyChange] | str, left: CurriculumPlanned | None, right: CurriculumPlanned | None
) -> list[KeyChange] | str:
    """And what was planned then, by the journals: the profile of a saved state is that of one task, without the curriculum.

    Of a phase under the name of its profile: `phase-1-ball-touching.until.kickoff_touches`.
    """
    if isinstance(changes, str) or left is None or right is None:
        return changes
    mine, theirs = dict(_planned(left)), dict(_planned(right))
    found = [KeyChange(key, mine.get(key), theirs.get(key)) for key in {**mine, **theirs}]
    others = [change for change in changes if change.key.partition(".")[0] not in ("curriculum", "[curriculum]")]
    return others + condensed([change for change in found if change.left != change.right])


def _planned(plan: CurriculumPlanned) -> Iterator[tuple[str, str]]:
    phases: list[Mapping[str, Any]] = [
        {
            "kind": phase.profile,
            "until": {
                wanted.name: int(value) if (value := wanted.value).is_integer() else value for wanted in phase.until
            },
            "min_steps": phase.min_steps,
            **({"max_steps": phase.max_steps} if phase.max_steps is not None else {}),
        }
        for phase in plan.phases
    ]
    stages = [
        {"kind": stage.name, **({"until": stage.until} if stage.until is not None else {})} for stage in plan.stages
    ]
    yield from _tables(phases, "")
    yield from _flat({"window": plan.window, "stages": stages}, "curriculum")


def paid_changes(changes: Sequence[KeyChange] | str, weights_known: bool) -> list[str]:
    """Those that change what is paid, in words; without weights where those in force are known otherwise."""
    found = [] if isinstance(changes, str) else changes
    return [
        f"{change.key.removeprefix('rewards.')} {change.left or ABSENT} → {change.right or ABSENT}"
        for change in found
        if change.key.partition(".")[0] in PAYING and not (weights_known and _is_weight(change))
    ]


def _is_weight(change: KeyChange) -> bool:
    """Not a reward's own parameter. The path of a file of one's own has dots too."""
    tail = change.key.rpartition(":")[2] if ":" in change.key else change.key.partition(".")[2]
    return "." not in tail or tail.endswith((".weight", ".schedule"))


def condensed(changes: Sequence[KeyChange]) -> list[KeyChange]:
    """A table of which one side has nothing is one change, not twenty: a campaign leaves to its phases what they say."""
    heads: dict[str, list[KeyChange]] = {}
    for change in changes:
        if change.key not in PROSE:
            heads.setdefault(change.key.partition(".")[0], []).append(change)
    return [found for head, group in heads.items() for found in _of_table(head, group)]


def _of_table(head: str, group: Sequence[KeyChange]) -> Sequence[KeyChange]:
    if len(group) < 3 or not (all(c.left is None for c in group) or all(c.right is None for c in group)):
        return group
    words = f"{len(group)} keys"
    return [KeyChange(f"[{head}]", None if group[0].left is None else words, None if group[0].right is None else words)]


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        yield from _tables(value, path)
    else:
        yield path, _text(value)


def _tables(tables: Sequence[Mapping[str, Any]], path: str) -> Iterator[tuple[str, str]]:
    """By their kind, so that another order is no difference; the second of a kind is `random 2`."""
    seen: dict[str, int] = {}
    for index, table in enumerate(tables):
        kind = str(table.get("kind", index))
        seen[kind] = seen.get(kind, 0) + 1
        number = "" if seen[kind] == 1 else f" {seen[kind]}"
        name = f"{path}.{kind}{number}".removeprefix(".")
        yield name, "{}"
        yield from _flat({key: item for key, item in table.items() if key != "kind"}, name)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_text(item) for item in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
