"""`idle`: touches no control."""

from __future__ import annotations

import numpy as np

from rltui.league.scripted.player import ScriptedPlayer
from rltui.sim.state import Float, GameState, Int


class Idle(ScriptedPlayer):
    """Never does anything: the easiest opponent, and one that leaves the field to the learner."""

    def rows(self) -> Float:
        return np.zeros((1, 8), np.float32)

    def act(self, state: GameState, cars: slice, rng: np.random.Generator) -> Int:
        return np.zeros(state.on_ground[:, cars].shape, np.int64)
