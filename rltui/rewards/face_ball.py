"""`face_ball`: the car's nose points at the ball."""

from __future__ import annotations

from rltui.rewards.alive import alive
from rltui.rewards.geometry import component
from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class FaceBall(Reward):
    """Car forward · direction to the ball: 1 at it, −1 away from it; 0 for a demolished car."""

    category = "ball"
    sign = 0

    def value(self, state: GameState) -> Float:
        cosines = component(state.forward, state.ball_position[:, None] - state.position)
        cosines *= alive(state)
        return cosines
