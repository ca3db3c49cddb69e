"""Changing a profile's text: comments, order, line ends and every number that is not changed stay as they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from rltui.errors import RltuiError
from rltui.profile.lines import key_path
from rltui.profile.toml_text import toml_string


def edit(text: str, changes: Mapping[str, str | None]) -> str:
    """The text with keys set or, by None, removed.

    changes: `section.key` or `resets[0].weight` → TOML value as text, written just so (`2e-4` stays `2e-4`); what is no
    TOML value becomes a string. Raises RltuiError for a key that cannot be, or text that is not TOML.
    """
    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _change(document, key, value)
        return _with_ends_of(text, tomlkit.dumps(document))
    except TOMLKitError as error:
        raise RltuiError(f"the profile is not TOML: {error}", exit_code=2) from error


def _with_ends_of(text: str, edited: str) -> str:
    """New lines end as all others do: tomlkit ends its own with a line feed alone."""
    ends_alone = re.compile(r"(?<!\r)\n")
    return edited if "\r\n" not in text or ends_alone.search(text) else ends_alone.sub("\r\n", edited)


def _change(document: Any, key: str, value: str | None) -> None:
    parts = key_path(re.sub(r"\[(\d+)\]", r".\1", key))
    if not parts:
        raise RltuiError(f"{key!r} is no key", "write section.key", exit_code=2)
    holder: Any = document
    for part in parts[:-1]:
        holder = _below(holder, part, key, make=value is not None)
        if holder is None:
            return
    last: Any = _index(holder, parts[-1], key)
    if value is None:
        if not isinstance(holder, list) and last in holder:
            del holder[last]
    else:
        _set(holder, last, _item(value))


def _below(holder: Any, part: str, key: str, make: bool) -> Any:
    index = _index(holder, part, key)
    if isinstance(index, str) and index not in holder:
        if not make:
            return None
        holder[index] = tomlkit.table()
    below = holder[index]
    if not isinstance(below, MutableMapping | list):
        raise RltuiError(f"{key}: {part} is a value, and has no keys", exit_code=2)
    return below


def _index(holder: Any, part: str, key: str) -> str | int:
    if not isinstance(holder, list):
        return part
    if not part.isdecimal() or int(part) >= len(holder):
        raise RltuiError(f"{key}: no element {part} in a list of {len(holder)}", exit_code=2)
    return int(part)


def _item(text: str) -> Any:
    try:
        return tomlkit.value(text.strip())
    except (TOMLKitError, ValueError):
        return tomlkit.value(toml_string(text))


def _set(holder: Any, key: str | int, item: Any) -> None:
    """A comment behind the old value stays behind the new one."""
    if isinstance(holder, AoT) and not isinstance(item, dict):
        raise RltuiError(f"[[…]] {key} is a table, and cannot be {item.as_string()}", exit_code=2)
    old: Any = holder[key] if isinstance(key, int) or key in holder else None
    if hasattr(old, "trivia") and hasattr(item, "trivia"):
        item.trivia.comment_ws, item.trivia.comment = old.trivia.comment_ws, old.trivia.comment
    holder[key] = item
