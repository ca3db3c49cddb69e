"""`possession`: whose ball it is."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


class Possession(Reward):
    """1 to every car of the team that touched the ball last in the episode, else 0; nobody's before the first touch."""

    category = "ball"
    sign = 1

    def value(self, state: GameState) -> Float:
        owners = np.append(state.team_sign, np.float32(0.0)).take(state.last_toucher, mode="wrap")  # −1, nobody: the 0
        own: Bool = owners[:, None] == state.team_sign
        return own.astype(np.float32)
