"""Findings from pydantic's errors: what was expected, found and meant; shapes of values from the JSON schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from rltui.errors import did_you_mean
from rltui.formatting import plural
from rltui.profile.toml_lines import KeyPath
from rltui.profile.toml_text import shown_value, toml_value

Node = Mapping[str, Any]  # a node of a pydantic model's JSON schema

NAMES = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "array": "list",
    "object": "table",
}


@dataclass(frozen=True)
class Shape:
    """type: one of NAMES' keys, or "any"; minimum, maximum: inclusive, unless `above` excludes the minimum; choices: all
    that is allowed; items: of a list, `length` of them where it is fixed; alternatives: any of these; words: what it is
    called, where its type says too little.
    """

    type: str
    minimum: float | None = None
    maximum: float | None = None
    above: bool = False
    choices: tuple[Any, ...] = ()
    items: Shape | None = None
    length: int | None = None
    alternatives: tuple[Shape, ...] = ()
    unit: str = ""
    words: str = ""

    @property
    def type_name(self) -> str:
        """`whole number`, `whole number or "auto"`, `list of numbers`, `list of [timesteps, weight]`."""
        if self.words:
            return self.words
        if self.alternatives:
            return " or ".join(shape.type_name for shape in self.alternatives)
        if self.choices:
            return " or ".join(toml_value(choice) for choice in self.choices)
        if self.type == "array" and self.items is not None:
            return f"list of {'' if self.length is None else f'{self.length} '}{_plural(self.items.type_name)}"
        return NAMES.get(self.type, "value")

    @property
    def range(self) -> str:
        """`1 to 512`, `above 0, at most 10`, or "" where any value goes; of a list, each element's."""
        shapes = [shape for shape in (self, self.items, *self.alternatives) if shape is not None]
        return next((text for text in map(_limits, shapes) if text), "")

    @property
    def expected(self) -> str:
        """For an error: `a whole number, 1 to 512, or "auto"`."""
        if self.alternatives:
            return " or ".join(shape.expected for shape in self.alternatives)
        if self.choices or self.type == "boolean":
            return self.type_name
        return f"a {self.type_name}" + (f", {self.range}" if self.range else "")


def _plural(name: str) -> str:
    return name if name in ("text", "true or false") or name.startswith("[") else f"{name}s"


def _limits(shape: Shape) -> str:
    low, high = shape.minimum, shape.maximum
    if low is not None and high is not None and not shape.above:
        return f"{_number(low)} to {_number(high)}"
    lower = "" if low is None else f"{'above' if shape.above else 'at least'} {_number(low)}"
    upper = "" if high is None else f"at most {_number(high)}"
    return ", ".join(filter(None, (lower, upper)))


def _number(value: float) -> str:
    return toml_value(int(value) if float(value).is_integer() else value)


def shape_of(node: Node, definitions: Mapping[str, Node]) -> Shape:
    """The shape of one node of a JSON schema. Limits and unit may stand beside a union: they hold for its members."""
    node = dereference(node, definitions)
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    if options:
        beside = {key: value for key, value in node.items() if key in ("minimum", "maximum", "unit")}
        shapes = tuple(shape_of({**option, **beside}, definitions) for option in options)
        return shapes[0] if len(shapes) == 1 else Shape("any", alternatives=shapes, unit=str(node.get("unit", "")))
    return Shape(
        type=str(node.get("type", "any")),
        minimum=node.get("minimum", node.get("exclusiveMinimum")),
        maximum=node.get("maximum"),
        above="exclusiveMinimum" in node,
        choices=tuple(node["enum"]) if "enum" in node else (node["const"],) if "const" in node else (),
        items=_items(node, definitions),
        length=len(node["prefixItems"]) if "prefixItems" in node else None,
        unit=str(node.get("unit", "")),
        words=str(node.get("words", "")),
    )


def _items(node: Node, definitions: Mapping[str, Node]) -> Shape | None:
    items = node.get("items") or next(iter(node.get("prefixItems", ())), None)
    return shape_of(items, definitions) if isinstance(items, Mapping) else None


def dereference(node: Node, definitions: Mapping[str, Node]) -> Node:
    """Follow `$ref`, keeping what stands beside it."""
    if "$ref" not in node:
        return node
    target = definitions[str(node["$ref"]).rpartition("/")[2]]
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def child(node: Node, part: str | int, definitions: Mapping[str, Node]) -> Node | None:
    """The node below: a table's key, a list's element; None where the schema knows none."""
    node = dereference(node, definitions)
    found: Any = None
    if "anyOf" in node:
        found = next(filter(None, (child(option, part, definitions) for option in node["anyOf"])), None)
    elif isinstance(part, int):
        found = node.get("items")
    elif part in node.get("properties", {}):
        found = node["properties"][part]
    elif isinstance(node.get("additionalProperties"), Mapping):
        found = node["additionalProperties"]
    return dereference(found, definitions) if isinstance(found, Mapping) else None


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
class ValidationFinding:
    """A mistake, before it is known on which line of which file it stands. involves: other keys that take part in it."""

    path: KeyPath
    message: str
    expected: str = ""
    found: str = ""
    hint: str = ""
    involves: tuple[KeyPath, ...] = ()


def validate(model: type[BaseModel], prepared: Any, raw: Any) -> tuple[BaseModel | None, list[ValidationFinding]]:
    """Build the model from the prepared values; the findings show the raw ones. None when there are findings."""
    try:
        return model.model_validate(prepared), []
    except ValidationError as error:
        schema = model.model_json_schema()
        findings: dict[KeyPath, ValidationFinding] = {}
        for entry in sorted(error.errors(include_url=False), key=_member_that_fits_first):
            value, path = _descend(raw, entry["loc"])
            if entry["type"] not in NOT_MISTAKES and not (entry["type"] == "too_short" and value):
                finding = _finding(entry, path, value, schema)
                findings.setdefault(finding.path, finding)
        return None, [found for found in findings.values() if not _says_more_below(found.path, findings)]


def _member_that_fits_first(entry: Mapping[str, Any]) -> int:
    """Of a union's errors: that 0 is out of range says more than that 0 is not "auto"."""
    return 0 if MESSAGES.get(entry["type"]) == RANGE else 1


def _says_more_below(path: KeyPath, paths: Iterable[KeyPath]) -> bool:
    """Of a union's errors: that an element of a list is wrong says more than that the list is no "none"."""
    return any(len(other) > len(path) and other[: len(path)] == path for other in paths)


def _descend(raw: Any, location: KeyPath) -> tuple[Any, KeyPath]:
    """As far as the written values go: pydantic's locations have the names of unions' members too."""
    path: KeyPath = ()
    for part in location:
        if isinstance(raw, list | tuple) and isinstance(part, str):
            continue
        table = isinstance(raw, Mapping) and part in raw
        element = isinstance(raw, list | tuple) and isinstance(part, int) and part < len(raw)
        if not (table or element):
            break
        raw = raw[part]
        path = (*path, part)
    return raw, path


def _finding(entry: Mapping[str, Any], path: KeyPath, value: Any, schema: Node) -> ValidationFinding:
    kind, location = str(entry["type"]), entry["loc"]
    message = MESSAGES.get(kind) or (TYPE if kind.endswith(("_type", "_instance", "is_instance_of")) else entry["msg"])
    if kind == "extra_forbidden":
        key = str(location[-1])
        known = _keys(_deepest(schema, location[:-1]), schema)
        hint = did_you_mean(key, known) or _elsewhere(key, schema)
        return ValidationFinding(path, message, f"one of {', '.join(known)}" if known else "no key here", key, hint)
    shape = shape_of(_deepest(schema, location), schema.get("$defs", {}))
    if kind == "missing":
        return ValidationFinding((*path, location[-1]), message, shape.expected)
    if message == LENGTH:
        return ValidationFinding(path, message, _length(entry), shown_value(value))
    if kind == "string_pattern_mismatch":
        return ValidationFinding(path, "character not allowed", "letters, digits, - and _", shown_value(value))
    expected = shape.expected.replace("a number", "a finite number") if kind == "finite_number" else shape.expected
    return ValidationFinding(path, message, expected, shown_value(value), _choice(shape, value))


def _choice(shape: Shape, value: Any) -> str:
    choices = [choice for each in (shape, *shape.alternatives) for choice in each.choices]
    return did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""


def _length(entry: Mapping[str, Any]) -> str:
    limits = entry.get("ctx", {})
    what = "character" if str(entry["type"]).startswith("string") else "element"
    word, count = ("least", limits["min_length"]) if "min_length" in limits else ("most", limits.get("max_length"))
    return f"at {word} {plural(count, what)}"


def _deepest(schema: Node, location: KeyPath) -> Node:
    """The schema's node at a location, whose parts that it does not know are passed over."""
    definitions = schema.get("$defs", {})
    node = schema
    for part in location:
        node = child(node, part, definitions) or node
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
