"""`bad_orientation`: lying on the roof or the side."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import off_the_ground
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState

TILTED, OVER = 0.75, 0.0  # up.z below it


class BadOrientation(Reward):
    """With the body on the world and fewer than three wheels down: −0.3 if up.z < 0, −0.1 if up.z < 0.75, else 0.

    A demolished car gives 0.
    """

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        up_z = state.up[..., 2]
        cost = np.where(up_z < OVER, np.float32(-0.3), np.where(up_z < TILTED, np.float32(-0.1), np.float32(0.0)))
        cost *= off_the_ground(state) & state.world_contact
        return cost
