"""`air_touch`: touching the ball in the air, however the car got there."""

from __future__ import annotations

from rltui.rewards.alive import off_the_ground
from rltui.rewards.reward import Reward
from rltui.sim.field import CEILING_Z
from rltui.sim.state import Float, GameState


class AirTouch(Reward):
    """On a touch while off the ground: height of the ball / 2044, else 0."""

    category = "aerial"
    sign = 1

    def value(self, state: GameState) -> Float:
        touched = off_the_ground(state)
        touched &= state.touches > 0
        heights: Float = touched * state.ball_position[:, 2:]
        heights /= CEILING_Z
        return heights
