"""`--set section.key=value`: TOML value syntax, bare words accepted, as if the profile had said so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

from rltui.profile.lines import key_path
from rltui.profile.problems import KeyPath
from rltui.profile.validation import Finding


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> tuple[list[KeyPath], list[Finding]]:
    """Change raw values in place, the later ones winning. Returns the paths set, and what could not be."""
    paths: list[KeyPath] = []
    findings: list[Finding] = []
    for text in overrides:
        key, equals, value = text.partition("=")
        parts = _parts(key)
        if not equals or parts is None:
            findings.append(
                Finding((), "not an override", "section.key=value, as in ppo.learning_rate=1e-4", text or '""')
            )
            continue
        try:
            paths.append(_put(data, parts, toml_or_text(value.strip())))
        except _NoTableError as error:
            findings.append(Finding(error.path, "has no keys below it", error.expected, key.strip()))
    return paths, findings


def of_sections(overrides: Sequence[str], sections: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that set something else, and those that set a key in one of these top-level keys."""
    other: list[str] = []
    chosen: list[str] = []
    for text in overrides:
        parts = _parts(text.partition("=")[0])
        (chosen if parts and parts[0] in sections else other).append(text)
    return other, chosen


def _parts(key: str) -> tuple[str, ...] | None:
    return key_path(re.sub(r"\[(\d+)\]", r".\1", key))


def toml_or_text(text: str) -> Any:
    """A TOML value; what is none is text: `local` means "local"."""
    try:
        parsed = tomllib.loads(f"value = {text}") if "\n" not in text else {}
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if list(parsed) == ["value"] else text


class _NoTableError(Exception):
    def __init__(self, path: KeyPath, expected: str) -> None:
        super().__init__(path)
        self.path = path
        self.expected = expected


def _put(data: dict[str, Any], parts: Sequence[str], value: Any) -> KeyPath:
    """Set data[parts] = value, making tables on the way; `resets.0.weight` reaches into a list."""
    holder: Any = data
    path: KeyPath = ()
    for part in parts[:-1]:
        key = _step(holder, part, path)
        path = (*path, key)
        below = holder.get(key, {}) if isinstance(holder, dict) else holder[key]
        if path[:-1] == ("rewards",) and not isinstance(below, dict):
            below = {"weight": below}  # touch = 1 is short for touch = {weight = 1}
        holder[key] = below
        holder = below
    key = _step(holder, parts[-1], path)
    if path == ("rewards",) and isinstance(holder.get(key), dict) and not isinstance(value, dict):
        holder, path, key = holder[key], (*path, key), "weight"
    holder[key] = value
    return (*path, key)


def _step(holder: Any, part: str, path: KeyPath) -> str | int:
    if isinstance(holder, dict):
        return part
    if not isinstance(holder, list):
        raise _NoTableError(path, "a key that the profile has")
    if not part.isdecimal() or int(part) >= len(holder):
        raise _NoTableError(path, f"a number from 0 to {len(holder) - 1}")
    return int(part)
