"""From raw values and a pydantic model to findings: one for each wrong key, in the profile's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from rltui.errors import did_you_mean
from rltui.profile.problems import KeyPath
from rltui.profile.shape import Node, Shape, child, dereference, shape_of
from rltui.profile.toml_text import found, toml_value

TYPE, RANGE, LENGTH = "wrong type", "out of range", "wrong length"
MESSAGES = {
    "greater_than": RANGE,
    "greater_than_equal": RANGE,
    "less_than": RANGE,
    "less_than_equal": RANGE,
    "finite_number": RANGE,
    "out_of_range": RANGE,
    "too_short": LENGTH,
    "too_long": LENGTH,
    "string_too_short": LENGTH,
    "string_too_long": LENGTH,
    "literal_error": "no such choice",
    "missing": "missing",
    "extra_forbidden": "unknown key",
}
NOT_MISTAKES = {"default_factory_not_called"}  # pydantic's word for: not computed, because something else is wrong


@dataclass(frozen=True)
class Finding:
    """A mistake, before it is known on which line of which file it stands. involves: other keys that take part in it."""

    path: KeyPath
    message: str
    expected: str = ""
    found: str = ""
    hint: str = ""
    involves: tuple[KeyPath, ...] = ()


def validate(model: type[BaseModel], prepared: Any, raw: Any) -> tuple[BaseModel | None, list[Finding]]:
    """Build the model from the prepared values; the findings show the raw ones. None when there are findings."""
    try:
        return model.model_validate(prepared), []
    except ValidationError as error:
        schema = model.model_json_schema()
        findings: dict[KeyPath, Finding] = {}
        for entry in sorted(error.errors(include_url=False), key=_member_that_fits_first):
            value, path = _descend(raw, entry["loc"])
            if entry["type"] not in NOT_MISTAKES and not (entry["type"] == "too_short" and value):
                finding = _finding(entry, path, value, schema)
                findings.setdefault(finding.path, finding)
        return None, list(findings.values())


def _member_that_fits_first(entry: Mapping[str, Any]) -> int:
    """Of a union's errors: that 0 is out of range says more than that 0 is not "auto"."""
    return 0 if MESSAGES.get(entry["type"]) == RANGE else 1


def _descend(raw: Any, location: KeyPath) -> tuple[Any, KeyPath]:
    """As far as the written values go: pydantic's locations end with the names of unions' members."""
    path: KeyPath = ()
    for part in location:
        table = isinstance(raw, Mapping) and part in raw
        element = isinstance(raw, list | tuple) and isinstance(part, int) and part < len(raw)
        if not (table or element):
            break
        raw = raw[part]
        path = (*path, part)
    return raw, path


def _finding(entry: Mapping[str, Any], path: KeyPath, value: Any, schema: Node) -> Finding:
    kind, location = str(entry["type"]), entry["loc"]
    message = MESSAGES.get(kind) or (TYPE if kind.endswith(("_type", "_instance", "is_instance_of")) else entry["msg"])
    if kind == "extra_forbidden":
        key = str(location[-1])
        known = _keys(_deepest(schema, location[:-1]), schema)
        hint = did_you_mean(key, known) or _elsewhere(key, schema)
        return Finding(path, message, f"one of {', '.join(known)}" if known else "no key here", key, hint)
    shape = shape_of(_deepest(schema, location), schema.get("$defs", {}))
    if kind == "missing":
        return Finding((*path, location[-1]), message, shape.expected)
    if message == LENGTH:
        return Finding(path, message, _length(entry), found(value))
    if kind == "string_pattern_mismatch":
        return Finding(path, "character not allowed", "letters, digits, - and _", found(value))
    expected = shape.expected.replace("a number", "a finite number") if kind == "finite_number" else shape.expected
    return Finding(path, message, expected, found(value), _choice(shape, value))


def _choice(shape: Shape, value: Any) -> str:
    choices = [choice for each in (shape, *shape.alternatives) for choice in each.choices]
    return did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""


def _length(entry: Mapping[str, Any]) -> str:
    limits = entry.get("ctx", {})
    what = "character" if str(entry["type"]).startswith("string") else "element"
    word, count = ("least", limits["min_length"]) if "min_length" in limits else ("most", limits.get("max_length"))
    return f"at {word} {count} {what}{'' if count == 1 else 's'}"


def _deepest(schema: Node, location: KeyPath) -> Node:
    """The schema's node at a location, or the last one on the way that it knows."""
    definitions = schema.get("$defs", {})
    node = schema
    for part in location:
        below = child(node, part, definitions)
        if below is None:
            break
        node = below
    return node


def _keys(node: Node, schema: Node) -> list[str]:
    return list(dereference(node, schema.get("$defs", {})).get("properties", {}))


def _elsewhere(key: str, schema: Node) -> str:
    """Where a key that is unknown here would be right."""
    for section in _keys(schema, schema):
        if key in _keys(_deepest(schema, (section,)), schema):
            return f"did you mean {toml_value(f'{section}.{key}')}?"
    return ""


def plain(text: str) -> str:
    """A sentence of an exception on one line."""
    return re.sub(r"\s+", " ", text).strip()
