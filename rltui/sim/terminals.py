"""Terminals: goal, no touch, timeout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar

from rltui.field import TICKS_PER_SECOND
from rltui.sim.state import Bool, GameState


class Terminal(ABC):
    """Ends episodes. Remembers nothing: what counts as time is in the state."""

    truncates: ClassVar[bool]  # True: the episode is cut, and its end says nothing about the value of going on

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def done(self, state: GameState) -> Bool:
        """[K] arenas whose episode ends with the step that led to `state`."""


def ticks(seconds: float) -> int:
    """The first whole number of ticks that is not shorter than this, rounding of the product aside."""
    return ceil(seconds * TICKS_PER_SECOND - 1e-6)


class GoalTerminal(Terminal):
    """Terminates when the ball's centre is past 5215.5 uu (RLGym: GoalCondition)."""

    truncates: ClassVar[bool] = False

    def done(self, state: GameState) -> Bool:
        scored: Bool = state.goal != 0
        return scored


class NoTouchTerminal(Terminal):
    """Truncates when this long has passed since any car's last touch, or the reset (RLGym: NoTouchTimeoutCondition)."""

    truncates: ClassVar[bool] = True

    @dataclass(frozen=True)
    class Params(Terminal.Params):
        seconds: float = field(
            default=15.0, metadata={"doc": "Time without a touch.", "unit": "s", "min": 0.1, "max": 3600.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._ticks = ticks(params.seconds)

    def done(self, state: GameState) -> Bool:
        return state.tick - state.last_touch_tick >= self._ticks


class TimeoutTerminal(Terminal):
    """Truncates when the episode has lasted this long (RLGym: TimeoutCondition)."""

    truncates: ClassVar[bool] = True

    @dataclass(frozen=True)
    class Params(Terminal.Params):
        seconds: float = field(
            default=300.0, metadata={"doc": "Length of an episode.", "unit": "s", "min": 0.1, "max": 86400.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._ticks = ticks(params.seconds)

    def done(self, state: GameState) -> Bool:
        return state.tick >= self._ticks
