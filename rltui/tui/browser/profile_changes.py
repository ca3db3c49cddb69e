"""Where two profiles differ, and nothing else. Saved ones hold every key already; others are resolved by a child."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rltui import safe_io
from rltui.tui.checks.child import Run, run_child

ABSENT = "not there"
NOT_TOLD = ("description",)  # prose


class Change(msgspec.Struct, frozen=True):
    """One key, or a whole table that only one side has. left, right: as TOML; None where it is not there."""

    key: str
    left: str | None
    right: str | None


_decoder = msgspec.json.Decoder(list[Change])


def saved_changes(left: Path, right: Path) -> list[Change] | str:
    """Between the profile.toml of two saved states; a reason in words where one cannot be read."""
    read: list[dict[str, str]] = []
    for path in (left, right):
        try:
            read.append(dict(_flat(tomllib.loads(safe_io.read_text(path)), "")))
        except (OSError, ValueError) as error:
            return f"the profiles cannot be compared: {path}: {safe_io.reason(error)}"
        except RecursionError:
            return f"the profiles cannot be compared: {path}: brackets are nested too deeply"
    mine, theirs = read
    found = [
        Change(key, mine.get(key), theirs.get(key)) for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)
    ]
    return condensed(found)


def resolved_changes(left: Path, right: Path, run: Run = run_child) -> list[Change] | str:
    """Between any two profiles, defaults filled in, by a child. Takes a second; call it from a thread."""
    command = [sys.executable, "-m", "rltui", "profile", "diff", "--json", str(left), str(right)]
    try:
        return condensed(_decoder.decode(run(command)))
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        return f"the profiles could not be compared: {error}"


def condensed(changes: Sequence[Change]) -> list[Change]:
    """A table of which one side has nothing is one change, not twenty: a campaign leaves to its phases what they say."""
    told = [change for change in changes if change.key not in NOT_TOLD]
    heads: dict[str, list[Change]] = {}
    for change in told:
        heads.setdefault(change.key.partition(".")[0], []).append(change)
    return [found for head, group in heads.items() for found in _of_table(head, group)]


def _of_table(head: str, group: Sequence[Change]) -> Sequence[Change]:
    if len(group) < 3 or not (all(c.left is None for c in group) or all(c.right is None for c in group)):
        return group
    words = f"{len(group)} keys"
    return [Change(f"[{head}]", None if group[0].left is None else words, None if group[0].right is None else words)]


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
        name = f"{path}.{kind}" if seen[kind] == 1 else f"{path}.{kind} {seen[kind]}"
        yield name, "{}"
        yield from _flat({key: item for key, item in table.items() if key != "kind"}, name)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_text(item) for item in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
