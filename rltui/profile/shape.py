"""What values a key takes, read from its declaration: error texts, the reference and the form all say it from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rltui.profile.toml_text import toml_value

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
    if isinstance(part, int):
        found = node.get("items")
    elif part in node.get("properties", {}):
        found = node["properties"][part]
    elif isinstance(node.get("additionalProperties"), Mapping):
        found = node["additionalProperties"]
    return dereference(found, definitions) if isinstance(found, Mapping) else None
