"""`off_ground`: the price of leaving the ground, for a bot that must learn to drive before it jumps."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import off_the_ground
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class OffGround(Reward):
    """−1 while fewer than three wheels touch a surface, else 0. A demolished car is not off the ground."""

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        return -off_the_ground(state).astype(np.float32)
