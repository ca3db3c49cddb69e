"""What every observation is: state arrays of K arenas in, one row of float32 for each car out (RLGym: ObsBuilder)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from rltui.sim.state import Float, GameState


class ObsBuilder(ABC):
    """Each car's view of the game, in its own team's coordinates: turn the world by 180° and swap the teams, and each
    car sees what its counterpart saw.
    """

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def size(self, blue: int, orange: int) -> int:
        """Numbers in one car's row. RltuiError when the builder cannot serve these team sizes."""

    @abstractmethod
    def build(self, state: GameState, out: Float) -> None:
        """Write every car's row into `out`, float32 [K, C, size], contiguous in its last axis; finite, nothing kept."""
