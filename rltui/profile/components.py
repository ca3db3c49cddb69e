"""The components that a profile names: are they there, do their parameters fit, what are all their parameters.

Components are imported here, when a profile is checked, and never at import time. Works on raw values, so that their
mistakes are found together with all others.
"""

from __future__ import annotations

import dataclasses
import importlib
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from rltui.errors import RltuiError
from rltui.profile.models import Section, whole
from rltui.profile.problems import KeyPath, nearest
from rltui.profile.validation import MESSAGES, Finding, plain, validate
from rltui.registry import BUILT_IN, Component, Kind, resolve

BASES: Mapping[Kind, str] = {
    "obs": "rltui.obs.obs_builder:ObsBuilder",
    "action table": "rltui.actions.action_table:ActionTable",
    "reward": "rltui.rewards.reward:Reward",
    "reset": "rltui.sim.resets.reset:Reset",
    "terminal": "rltui.sim.terminals.terminal:Terminal",
    "player": "rltui.league.scripted.player:ScriptedPlayer",
}


@dataclasses.dataclass(frozen=True)
class Placed:
    """A component as a profile's raw values have it. path: of its table or value; name_path: of its name; own: the
    profile's own keys, which stand beside the component's parameters.
    """

    kind: Kind
    name: str
    options: Mapping[str, Any]
    path: KeyPath
    name_path: KeyPath
    own: tuple[str, ...]


def placed(data: Mapping[str, Any]) -> Iterator[Placed]:
    """Every component that raw values name; what is not even of the right type is left to the models."""
    yield from _one("obs", data.get("obs", {}), ("obs",), ("kind",), "default")
    yield from _one("action table", data.get("actions", {}), ("actions",), ("table",), "rlgym")
    rewards = data.get("rewards")
    for name, value in rewards.items() if isinstance(rewards, Mapping) else ():
        table = value if isinstance(value, Mapping) else {}
        options = {key: item for key, item in table.items() if key != "weight"}
        yield Placed("reward", name, options, ("rewards", name), ("rewards", name), ("weight",))
    for index, table in enumerate(_list(data.get("resets"))):
        yield from _one("reset", table, ("resets", index), ("kind", "weight"))
    for index, table in enumerate(_list(data.get("terminals"))):
        yield from _one("terminal", table, ("terminals", index), ("kind",))


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _one(kind: Kind, table: Any, path: KeyPath, own: tuple[str, ...], default: str = "") -> Iterator[Placed]:
    """own: the key of the name, then the profile's other ones."""
    name = table.get(own[0], default) if isinstance(table, Mapping) else None
    if isinstance(name, str) and name:
        options = {key: item for key, item in table.items() if key not in own}
        yield Placed(kind, name, options, path, (*path, own[0]) if own[0] in table else path, own)


def from_folder(name: str, folder: Path | None) -> str:
    """`file.py:Class` with a relative path, made absolute: beside the profile first, else from the working folder."""
    path_text, colon, class_name = name.rpartition(":")
    if not colon or not path_text:
        return name
    path = Path(path_text).expanduser()
    beside = folder / path if folder is not None else path
    return f"{(beside if beside.is_file() else path).resolve()}:{class_name}"


def check_component(part: Placed, folder: Path | None) -> list[Finding]:
    """Import it, compare its parameters, build it once: whatever goes wrong is a finding. folder: of the profile."""
    try:
        cls = resolve(part.kind, from_folder(part.name, folder))
    except RltuiError as error:
        near = nearest(part.name, BUILT_IN[part.kind])
        reason = plain(error.message).partition(": ")[2]  # after kind and name
        message = reason if ":" in part.name else f"unknown {part.kind}"
        return [Finding(part.name_path, message, _names(part.kind), part.name, near)]
    wrong = _contract(part, cls)
    if wrong:
        return [Finding(part.name_path, wrong, f"a {BASES[part.kind].partition(':')[2]}", part.name)]
    model, findings = validate(parameters(cls), tuples(part.options), part.options)
    if model is None:
        return [_of_component(finding, part) for finding in findings]
    try:
        cls(_params(cls, model))
    except Exception as error:  # a user's class may raise anything
        message = error.message if isinstance(error, RltuiError) else str(error) or repr(error)
        return [Finding(part.path, plain(message), found=part.name)]
    return []


def _of_component(finding: Finding, part: Placed) -> Finding:
    """Placed in the profile; an unknown key may have been meant for the profile's own ones."""
    path = (*part.path, *finding.path)
    if finding.message != MESSAGES["extra_forbidden"]:
        return dataclasses.replace(finding, path=path)
    own = ", ".join(part.own)
    expected = f"{finding.expected}, {own}" if finding.expected.startswith("one of") else f"one of {own}"
    hint = finding.hint or nearest(finding.found, part.own)
    return Finding(path, f"unknown parameter of {part.kind} {part.name!r}", expected, finding.found, hint)


def _names(kind: Kind) -> str:
    return f"{', '.join(BUILT_IN[kind])}, or path/to/file.py:Class"


def _contract(part: Placed, cls: type[Any]) -> str:
    """What the class lacks to be a component of its kind, or ""."""
    module, _, name = BASES[part.kind].partition(":")
    base: type[Any] = getattr(importlib.import_module(module), name)
    if not issubclass(cls, base):
        return f"{cls.__name__} is no {name}"
    if not dataclasses.is_dataclass(cls.Params):
        return f"{cls.__name__}.Params is no dataclass"
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    missing += [attribute for attribute in vars(base).get("__annotations__", ()) if not hasattr(cls, attribute)]
    return f"{cls.__name__} does not define {', '.join(missing)}" if missing else ""


def parameters(cls: type[Any]) -> type[BaseModel]:
    """A component's `Params` dataclass as a model: same checks and texts as for a profile's own keys."""
    hints = typing.get_type_hints(cls.Params)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls.Params):
        fields[field.name] = (_annotation(hints[field.name], field.metadata), _declaration(field))
    return create_model(f"{cls.__name__}Parameters", __base__=_Parameters, **fields)


class _Parameters(Section):
    model_config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())


def _annotation(hint: Any, limits: Mapping[str, Any]) -> Any:
    low, high = limits.get("min"), limits.get("max")

    def within(value: Any) -> Any:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and ((low is not None and value < low) or (high is not None and value > high)):
            raise PydanticCustomError("out_of_range", "out of range")
        return value

    if hint is int or (int in typing.get_args(hint) and float not in typing.get_args(hint)):
        hint = Annotated[hint, BeforeValidator(whole)]
    return Annotated[hint, AfterValidator(within)]


def _declaration(field: dataclasses.Field[Any]) -> Any:
    words = {"min": "minimum", "max": "maximum", "unit": "unit"}
    extra = {words[key]: value for key, value in field.metadata.items() if key in words}
    details: dict[str, Any] = {"description": field.metadata.get("doc", ""), "json_schema_extra": extra}
    if field.default is not dataclasses.MISSING:
        return Field(field.default, **details)
    if field.default_factory is not dataclasses.MISSING:
        return Field(default_factory=field.default_factory, **details)
    return Field(**details)


def tuples(value: Any) -> Any:
    """TOML's lists as tuples: what frozen dataclasses and models hold."""
    if isinstance(value, list | tuple):
        return tuple(map(tuples, value))
    if isinstance(value, Mapping):
        return {key: tuples(item) for key, item in value.items()}
    return value


def complete(kind: Kind, component: Component) -> dict[str, Any]:
    """All parameters of a checked component, those that the profile leaves to their defaults too."""
    cls = resolve(kind, component.name)
    params = _params(cls, parameters(cls).model_validate(tuples(component.options)))
    return {field.name: getattr(params, field.name) for field in dataclasses.fields(params)}


def _params(cls: type[Any], model: BaseModel) -> Any:
    """The dataclass from its checked values; what is not set keeps the dataclass's own default."""
    return cls.Params(**{name: getattr(model, name) for name in model.model_fields_set})
