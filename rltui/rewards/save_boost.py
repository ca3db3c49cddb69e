"""`save_boost`: having boost, the first of it most."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class SaveBoost(Reward):
    """sqrt(boost / 100): 0..1; 0 for a demolished car."""

    category = "boost"
    sign = 1

    def value(self, state: GameState) -> Float:
        shares: Float = state.boost * alive(state)
        shares /= 100.0
        return np.sqrt(shares, out=shares)
