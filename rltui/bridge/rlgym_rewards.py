"""RLGym v2's RewardFunctions as rewards: each arena has an instance of its own, fed with RLGym's own state objects.

That is as slow as in RLGym: a class that works on the arrays of all arenas at once is faster by far.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from rlgym.api import RewardFunction

from rltui.bridge.rlgym_states import RlgymStates
from rltui.errors import RltuiError
from rltui.rewards.base import Reward
from rltui.sim.state import Bool, Float, GameState, Simulated

PLAIN = (bool, int, float, str)
OWN_KEY = "weight"  # a reward's weight in the profile, and so no parameter
NOTICE = "RLGym RewardFunctions are called arena by arena: in 1v1 about 10 µs per step of an arena, where a reward on arrays takes 0.1"


def params_of(cls: type[Any], base: type[Any]) -> type[Any]:
    """A dataclass `Params`, derived from `base`, with the constructor's named parameters. What is no plain value is anything, None by default.

    TypeError for a parameter that no profile could set.
    """
    fields = [field for parameter in _parameters(cls) for field in _field(cls, parameter)]
    return dataclasses.make_dataclass("Params", fields, bases=(base,), frozen=True, kw_only=True)


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


class RlgymReward(Reward):
    """The adapter; `adapt` derives one class of it for each RewardFunction."""

    category = "events"
    sign = 0
    notice = NOTICE
    adapted: ClassVar[type[Any]]

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._instances = [made(self.adapted, self.params)]  # at once: wrong parameters are found by a profile's check
        self._simulated: Simulated | None = None
        self._states: RlgymStates | None = None

    def attach(self, simulated: Simulated) -> None:
        self._simulated = simulated

    def reset(self, state: GameState, arenas: Bool) -> None:
        states = self._prepared(state)
        for arena in np.flatnonzero(arenas).tolist():
            first = states.of(state, arena)
            self._instances[arena].reset(list(states.agents), first, states.shared_info[arena])

    def value(self, state: GameState) -> Float:
        states, ends = self._prepared(state), state.ends
        values = np.empty((state.arenas, state.cars), np.float32)
        for arena, (terminated, truncated) in enumerate(
            zip(ends.terminated.tolist(), ends.truncated.tolist(), strict=True)
        ):
            agents = list(states.agents)
            found = self._instances[arena].get_rewards(
                agents,
                states.of(state, arena),
                dict.fromkeys(agents, terminated),
                dict.fromkeys(agents, truncated),
                states.shared_info[arena],
            )
            try:
                values[arena] = _by_car(found, states.agents)
            except (AttributeError, TypeError, ValueError, KeyError) as error:
                raise self._no_rewards(found, states.agents) from error
        return values

    def _prepared(self, state: GameState) -> RlgymStates:
        if self._states is None:
            self._states = RlgymStates.shared(state, self._simulated)
            self._instances += [made(self.adapted, self.params) for _ in range(state.arenas - 1)]
        return self._states

    def _no_rewards(self, found: object, agents: list[str]) -> RltuiError:
        return RltuiError(
            f"reward {self.adapted.__name__}: get_rewards() must give a dict of numbers by car, of "
            f"{', '.join(agents)}, found {found!r}"
        )


def made(cls: type[Any], params: Any) -> Any:
    """An instance. What the profile leaves to its default is left to the constructor's own."""
    fields = dataclasses.fields(params)
    chosen = {field.name: value for field in fields if (value := getattr(params, field.name)) != field.default}
    return cls(**chosen)


def _by_car(found: dict[str, Any], agents: list[str]) -> list[float]:
    """As RLGym's CombinedReward takes them: who is left out gets 0, an array of one number is that number."""
    values = dict.fromkeys(agents, 0.0)
    for agent, value in found.items():
        values[agent] += value if isinstance(value, float | int | np.number) else np.asarray(value).item()
    return list(values.values())


def adapt(cls: type[Any]) -> type[Any]:
    """A reward that plays this RewardFunction. Category, sign and penalty are the class's attributes of these names; where
    it has none: events, 0 and False. Its constructor's parameters, by name, are the profile's.

    RltuiError for a class that lacks a method, or declares what does not exist.
    """
    declared = {name: getattr(cls, name) for name in ("category", "sign", "penalty") if hasattr(cls, name)}
    return derived(RlgymReward, cls, RewardFunction, ("reset", "get_rewards"), declared)


def derived(
    adapter: type[Any], cls: type[Any], theirs: type[Any], methods: tuple[str, ...], declared: dict[str, Any]
) -> type[Any]:
    """The class of `adapter` that plays `cls`, derived from RLGym's `theirs`; one that is a component already, as it is."""
    if issubclass(cls, adapter.__base__ or ()):
        return cls
    for method in methods:
        if getattr(cls, method) is getattr(theirs, method):
            needed = f"a {theirs.__name__} of RLGym v2 needs {' and '.join(f'{name}()' for name in methods)}"
            raise RltuiError(f"{cls.__name__}: {method}() is not defined", needed, exit_code=2)
    names = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    try:
        made_of = {**names, **declared, "adapted": cls, "Params": params_of(cls, adapter.Params)}
        return type(cls.__name__, (adapter,), made_of)
    except TypeError as error:
        raise RltuiError(f"{cls.__name__}: {error}", exit_code=2) from error
