"""Reward base class, per-arena memory, alive mask.

What every reward is: state arrays of K arenas in, one number for each car out (RLGym: RewardFunction).

A shipped reward is a class in a module of this room and a line in BUILT_IN of registry.py.

A reward of one's own is a class in any file, named in the profile as "path/to/file.py:Class":

    import numpy as np
    from rltui.rewards.base import Reward

    class HighBall(Reward):
        category = "ball"
        sign = 1

        def value(self, state):
            return np.repeat(state.ball_position[:, 2:] / 2044, state.cars, axis=1)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rltui.sim.state import Bool, Float, GameState, Simulated

Category = Literal["events", "ball", "goal", "positioning", "boost", "aerial", "mechanics", "penalties"]


class Reward(ABC):
    """One term of the reward. Blind to team: turning the world by 180° and swapping the teams changes no car's value."""

    category: ClassVar[Category]
    sign: ClassVar[Literal[-1, 0, 1]]  # of the value: 1 never negative, −1 never positive, 0 either
    penalty: ClassVar[bool] = False  # meant to cost; where its value is positive, it wants a negative weight
    contacts: ClassVar[bool] = False  # whether it reads `state.contacts`, which costs time
    notice: ClassVar[str] = ""  # a sentence on such rewards, said when a profile is checked and when training starts

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init_subclass__(cls) -> None:
        """TypeError when a class leaves out, or misspells, what the sign check and the modes need to know of it."""
        super().__init_subclass__()
        category, sign = getattr(cls, "category", None), getattr(cls, "sign", None)
        if category not in get_args(Category) or sign not in (-1, 0, 1):
            raise TypeError(
                f"{cls.__name__} must declare category (one of {', '.join(get_args(Category))}) "
                f"and sign (-1, 0 or 1), found category {category!r} and sign {sign!r}"
            )

    def __init__(self, params: Params) -> None:
        self.params = params

    def attach(self, simulated: Simulated) -> None:  # noqa: B027  the arrays are enough for most rewards
        """Called once, before the first reset, where there is a simulator behind the arrays."""

    def reset(self, state: GameState, arenas: Bool) -> None:  # noqa: B027  most rewards remember nothing
        """Forget these arenas (mask [K]): `state` is the first of their new episode, for the others the present one."""

    @abstractmethod
    def value(self, state: GameState) -> Float:
        """[K, C], unweighted, finite, for the step that ended in `state`; called once a step, in order."""


class ArenaMemory:
    """An array of its own, [K] or [K, …]; the states that it is fed from are overwritten by the simulator."""

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self._dtype = dtype
        self._values: NDArray[Any] | None = None

    @property
    def values(self) -> NDArray[Any]:
        """To be read and changed in place. RuntimeError before the first `begin`."""
        if self._values is None:
            raise RuntimeError("reset comes before the first step")
        return self._values

    def begin(self, arenas: Bool, values: NDArray[Any]) -> None:
        """New episodes in these arenas (mask [K]): remember their rows of `values`, and the others' as they were."""
        if self._values is None or self._values.shape != values.shape:
            self._values = np.array(values, self._dtype)
        else:
            self._values[arenas] = values[arenas]


def alive(state: GameState) -> Bool:
    """[K, C] not demolished."""
    here: Bool = state.demo_respawn_timer <= 0
    return here


def off_the_ground(state: GameState) -> Bool:
    """[K, C] fewer than three wheels touch a surface, and not demolished."""
    return alive(state) & ~state.on_ground
