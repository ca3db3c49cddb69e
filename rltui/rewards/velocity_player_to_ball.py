"""`velocity_player_to_ball`: driving at the ball pays, driving away costs."""

from __future__ import annotations

from rltui.rewards.geometry import component
from rltui.rewards.reward import Reward
from rltui.sim.field import CAR_MAX_SPEED
from rltui.sim.state import Float, GameState


class VelocityPlayerToBall(Reward):
    """Car velocity · direction to the ball / 2300: −1..1; `speed_toward_ball` with its sign. A demolished car is at rest."""

    category = "ball"
    sign = 0

    def value(self, state: GameState) -> Float:
        speeds = component(state.velocity, state.ball_position[:, None] - state.position)
        speeds /= CAR_MAX_SPEED
        return speeds
