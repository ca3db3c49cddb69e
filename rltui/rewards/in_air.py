"""`in_air`: a small wage for leaving the ground."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import off_the_ground
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class InAir(Reward):
    """1 while fewer than three wheels touch a surface, else 0. A demolished car is not in the air."""

    category = "aerial"
    sign = 1

    def value(self, state: GameState) -> Float:
        return off_the_ground(state).astype(np.float32)
