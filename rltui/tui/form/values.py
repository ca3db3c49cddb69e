"""From what somebody types into a field to TOML text. Pure."""

from __future__ import annotations

import re
import tomllib

from rltui.profile.toml_text import toml_string
from rltui.tui.form.reference import Entry


class ValueProblem(ValueError):
    """What was typed is no value of this kind; the text says what is expected."""


def toml_of(entry: Entry | None, typed: str) -> str:
    """TOML text, numbers as they are typed. ValueProblem where it cannot be of the field's kind at all.

    `256 256` and `256, 256` are lists where a list is wanted; a word needs no quotes where text is.
    """
    text = typed.strip()
    nature = entry.nature if entry else "any"
    if nature == "string" or (entry is not None and text in entry.choices):
        return text if _is_quoted(text) or _is_table(text) else toml_string(text)
    if nature == "list" and text[:1] not in "[{":
        return "[" + ", ".join(_item(part) for part in re.split(r"[,\s×x]+", text) if part) + "]"
    if nature == "boolean":
        text = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text.lower(), text.lower())
    if not _parses(text):
        raise ValueProblem(f"expected {_expected(entry)}")
    return text


def typed_of(written: str | None) -> str:
    """What the line shows for editing: text without its quotes, all else as written."""
    if written is None:
        return ""
    if _is_quoted(written):
        value = tomllib.loads(f"v = {written}")["v"]
        if toml_string(value) == written:
            return str(value)
    return written


def steps(entry: Entry | None, component: bool) -> tuple[str, ...]:
    """All values that a field steps through: TOML text; empty where there are too many."""
    if entry is None or component:
        return ()
    if entry.nature == "boolean":
        return ("true", "false")
    return tuple(toml_string(choice) for choice in entry.choices) if entry.nature == "string" else ()


def _item(part: str) -> str:
    return part if _parses(part) else toml_string(part)


def _parses(text: str) -> bool:
    try:
        return list(tomllib.loads(f"v = {text}")) == ["v"]
    except (ValueError, RecursionError):
        return False


def _is_quoted(text: str) -> bool:
    return len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0] and _parses(text)


def _is_table(text: str) -> bool:
    return text[:1] in "[{" and _parses(text)


def _expected(entry: Entry | None) -> str:
    if entry is None:
        return "a TOML value"
    return f"{entry.type}, {entry.range}" if entry.range else entry.type
