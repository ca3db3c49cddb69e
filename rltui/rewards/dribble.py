"""`dribble`: carrying the ball on the roof."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.reward import Reward
from rltui.sim.field import BALL_RADIUS, CAR_ROOF
from rltui.sim.state import Float, GameState

REACH = 150.0  # uu, horizontally
TILT = 10.0  # uu that a roof may rise over the ball's lowest point while it pitches and rolls


class Dribble(Reward):
    """1 while the car is on the ground and the ball off it, within 150 uu horizontally and above the roof, else 0.

    Above the roof: its lowest point at least as high as the roof of a car on a level floor, less 10 uu for tilt. A demolished car
    gives 0.
    """

    category = "mechanics"
    sign = 1

    def value(self, state: GameState) -> Float:
        lines = state.ball_position[:, None] - state.position
        carried = np.hypot(lines[..., 0], lines[..., 1]) <= REACH
        carried &= lines[..., 2] >= CAR_ROOF + BALL_RADIUS - TILT
        carried &= state.on_ground & alive(state)
        return carried.astype(np.float32)
