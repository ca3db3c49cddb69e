"""The constructor of another library's class as the parameters of a component: what a profile may set of it."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

from rltui.rewards.base import Reward

PLAIN = (bool, int, float, str)
OWN_KEY = "weight"  # a reward's weight in the profile, and so no parameter


def params_of(cls: type[Any]) -> type[Any]:
    """A dataclass `Params` with the constructor's named parameters. What is no plain value is anything, None by default.

    TypeError for a parameter that no profile could set.
    """
    fields = [field for parameter in _parameters(cls) for field in _field(cls, parameter)]
    return dataclasses.make_dataclass("Params", fields, bases=(Reward.Params,), frozen=True, kw_only=True)


def _parameters(cls: type[Any]) -> list[inspect.Parameter]:
    nameless = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each for each in inspect.signature(cls).parameters.values() if each.kind not in nameless]


def _field(cls: type[Any], parameter: inspect.Parameter) -> Iterator[Any]:
    """(name, type, field) of a parameter. A default that TOML cannot write stands as None."""
    required = parameter.default is inspect.Parameter.empty
    if parameter.name == OWN_KEY:
        if required:
            raise TypeError("a parameter named weight cannot be set, for that is the reward's own: give it a default")
        return
    hint = _hint(cls, parameter.name)
    if required:
        yield parameter.name, hint, dataclasses.field()
        return
    default = _as_toml(parameter.default)
    yield (
        parameter.name,
        hint | None if default is None and hint is not Any else hint,
        dataclasses.field(default=default),
    )


def _hint(cls: type[Any], name: str) -> Any:
    """What the parameter's annotation says, where that is a plain type, possibly optional; else anything."""
    try:
        hint = typing.get_type_hints(cls.__init__).get(name, Any)
    except Exception:  # a user's annotation may name what cannot be found
        return Any
    parts = typing.get_args(hint) or (hint,)
    return hint if all(part in (*PLAIN, type(None)) for part in parts) else Any


def _as_toml(value: Any) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(item, PLAIN) for item in value):
        return tuple(value)
    return value if isinstance(value, PLAIN) and value == value else None
