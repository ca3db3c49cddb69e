"""`clear` and `negative_velocity_own_goal`: the ball leaves one's own net, or comes to it."""

from __future__ import annotations

import numpy as np

from rltui.rewards.geometry import component
from rltui.rewards.nets import NetParams, own_nets
from rltui.rewards.reward import Reward
from rltui.sim.field import BALL_MAX_SPEED
from rltui.sim.state import Float, GameState


class Clear(Reward):
    """max(0, ball velocity · direction from the middle of the own back net to the ball) / 6000: 0..1."""

    category = "goal"
    sign = 1

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._nets = own_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        speeds = _away_from(self._nets, state)
        np.maximum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)


class NegativeVelocityOwnGoal(Reward):
    """−max(0, ball velocity · direction from the ball to the middle of the own back net) / 6000: −1..0."""

    category = "penalties"
    sign = -1
    penalty = True

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._nets = own_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        speeds = _away_from(self._nets, state)
        np.minimum(speeds, 0.0, out=speeds)
        return speeds.take(state.team, axis=1)


def _away_from(nets: Float, state: GameState) -> Float:
    """[K, 2] speed of the ball away from each of two nets [2, 3], / 6000."""
    speeds = component(state.ball_velocity[:, None], state.ball_position[:, None] - nets)
    speeds /= BALL_MAX_SPEED
    return speeds
