"""`shot` and `save`: what the game itself counts as such."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class Shot(Reward):
    """1 on the step in which the game counts a shot of this car's, else 0: RocketSim does so 0.3 s after the touch."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.shots.astype(np.float32)


class Save(Reward):
    """1 on a step in which this car's touch kept a shot from its own goal, else 0."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.saves.astype(np.float32)
