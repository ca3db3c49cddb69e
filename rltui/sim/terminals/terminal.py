"""What every terminal is: the state in, which episodes end out (RLGym: DoneCondition)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from rltui.sim.field import TICKS_PER_SECOND
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
