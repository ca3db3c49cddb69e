"""Reference of all keys and components: what help, form and documentation are made from."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from pydantic import BaseModel

from rltui.profile.components import parameters
from rltui.profile.models import SCHEMA, Profile
from rltui.profile.toml_text import toml_value
from rltui.profile.validation import Node, Shape, dereference, shape_of
from rltui.registry import BUILT_IN, Kind, resolve

Nature = Literal["integer", "number", "string", "boolean", "list", "table", "any"]
NATURES: Mapping[str, Nature] = {"array": "list", "object": "table"}


@dataclass(frozen=True)
class SchemaKey:
    """One key. key: `ppo.gamma`, `resets[].kind`, `rewards.<name>.weight`; of a component's parameter, its name alone.

    type: for people; nature: for programs (of a union, of its first member). default: TOML text, "" where there is none
    (required says whether it must be given), or the key whose value it takes, as `= ppo.batch`.
    """

    key: str
    type: str
    nature: Nature
    range: str
    unit: str
    default: str
    required: bool
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "choices": list(self.choices)}


@dataclass(frozen=True)
class SchemaComponent:
    """A registered component and its parameters. sign and category: of rewards."""

    kind: Kind
    name: str
    doc: str
    parameters: tuple[SchemaKey, ...]
    category: str = ""
    sign: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "parameters": [entry.as_dict() for entry in self.parameters]}


@cache
def all_keys() -> tuple[SchemaKey, ...]:
    """Every key of a profile, in the order of the schema."""
    return tuple(_entries(Profile.model_json_schema(), ""))


def components() -> list[SchemaComponent]:
    """Every registered component. Imports them all."""
    return [component_entry(kind, name) for kind in get_args(Kind) for name in BUILT_IN[kind]]


def component_entry(kind: Kind, name: str) -> SchemaComponent:
    """One component's reference."""
    cls = resolve(kind, name)
    entries = tuple(_entries(parameters(cls).model_json_schema(), ""))
    doc = own_doc(cls)
    return SchemaComponent(kind, name, doc, entries, getattr(cls, "category", ""), getattr(cls, "sign", None))


def own_doc(cls: type[Any]) -> str:
    """A class's docstring, not one that it inherits."""
    return inspect.cleandoc(cls.__doc__ or "")


def as_dict() -> dict[str, Any]:
    """What `rltui profile schema --json` prints."""
    return {
        "schema": SCHEMA,
        "sections": [{"section": name, "doc": doc} for name, doc in sections().items()],
        "keys": [entry.as_dict() for entry in all_keys()],
        "components": [entry.as_dict() for entry in components()],
    }


def sections() -> dict[str, str]:
    """Every table of a profile and what it is about."""
    found = {"rewards": str(Profile.model_fields["rewards"].description)}
    for name, field in Profile.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found[name] = own_doc(kind)
    return found


def _entries(schema: Node, prefix: str) -> Iterator[SchemaKey]:
    definitions: Mapping[str, Node] = schema.get("$defs", {})
    yield from _table(schema, prefix, definitions)


def _table(node: Node, prefix: str, definitions: Mapping[str, Node]) -> Iterator[SchemaKey]:
    required = node.get("required", ())
    for key, written in node.get("properties", {}).items():
        below = dereference(written, definitions)
        if below.get("type") == "object" and "properties" in below:
            yield from _table(below, f"{prefix}{key}.", definitions)
            continue
        yield _entry(f"{prefix}{key}", written, definitions, key in required)
        yield from _elements(below, f"{prefix}{key}", definitions)


def _elements(node: Node, key: str, definitions: Mapping[str, Node]) -> Iterator[SchemaKey]:
    """The keys of the tables in a list (`resets[].kind`) or of named tables (`rewards.<name>.weight`)."""
    for option in (node, *node.get("anyOf", ())):
        for word, name in (("items", "[]"), ("additionalProperties", ".<name>")):
            if isinstance(option.get(word), Mapping):
                below = dereference(option[word], definitions)
                if "properties" in below:
                    yield from _table(below, f"{key}{name}.", definitions)


def _entry(key: str, node: Node, definitions: Mapping[str, Node], required: bool) -> SchemaKey:
    shape = shape_of(node, definitions)
    first = shape.alternatives[0] if shape.alternatives else shape
    default = node.get("default")
    text = f"= {node['follows']}" if "follows" in node else "" if default is None else toml_value(default)
    return SchemaKey(
        key=key,
        type=shape.type_name,
        nature=NATURES.get(first.type, first.type),  # type: ignore[arg-type]  # JSON schema's words else
        range=shape.range,
        unit=shape.unit,
        default=text,
        required=required,
        doc=str(dereference(node, definitions).get("description", "")),
        minimum=first.minimum,
        maximum=first.maximum,
        choices=_choices(shape),
    )


def _choices(shape: Shape) -> tuple[str, ...]:
    return tuple(str(choice) for each in (shape, *shape.alternatives) for choice in each.choices)
