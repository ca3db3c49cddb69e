"""`in_air`: a small wage for leaving the ground."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


class InAir(Reward):
    """1 while fewer than three wheels touch a surface, else 0. A demolished car is not in the air."""

    category = "aerial"
    sign = 1

    def value(self, state: GameState) -> Float:
        return off_the_ground(state).astype(np.float32)


def off_the_ground(state: GameState) -> Bool:
    """[K, C] fewer than three wheels touch a surface, and not demolished."""
    return ~state.on_ground & (state.demo_respawn_timer <= 0)
