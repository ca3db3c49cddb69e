"""`speed_toward_ball`: driving at the ball pays, driving away does not cost."""

from __future__ import annotations

import numpy as np

from rltui.rewards.geometry import component
from rltui.rewards.reward import Reward
from rltui.sim.field import CAR_MAX_SPEED
from rltui.sim.state import Float, GameState


class SpeedTowardBall(Reward):
    """max(0, car velocity · direction to the ball) / 2300: 0..1."""

    category = "ball"
    sign = 1

    def value(self, state: GameState) -> Float:
        speeds = component(state.velocity, state.ball_position[:, None] - state.position)
        np.maximum(speeds, 0.0, out=speeds)
        speeds /= CAR_MAX_SPEED
        return speeds
