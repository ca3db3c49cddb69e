"""Player protocol: arrays in, control rows out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rltui.sim.state import Float, GameState, Int, Seats


class ScriptedPlayer(ABC):
    """Plays some cars of each arena by rules. Blind to team: it acts in its own team's view."""

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def rows(self) -> Float:
        """float32 [M, 8], all the controls that it ever uses, in the order of actions.action_table.CONTROLS."""

    @abstractmethod
    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        """A row for each of its cars, int64 of the shape that `state.on_ground[seats]` has: [K, n], or [M] where it does not
        play as many in every arena.
        """
