"""`touch`: this car touched the ball."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class Touch(Reward):
    """1 on a step in which this car touched the ball at least once, else 0 (RLGym: TouchReward)."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return (state.touches > 0).astype(np.float32)
