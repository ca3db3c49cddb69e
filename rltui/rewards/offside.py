"""`offside` and `in_net`: places where a car rarely has anything to do."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.reward import Reward
from rltui.sim.field import BACK_WALL_Y
from rltui.sim.state import Bool, Float, GameState


class Offside(Reward):
    """−1 while the car is nearer to the opponents' back wall than the ball is, else 0; a demolished car gives 0."""

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        ahead: Float = (state.position[..., 1] - state.ball_position[:, None, 1]) * state.team_sign
        return _cost((ahead > 0) & alive(state))


class InNet(Reward):
    """−1 while the car is behind a goal line, |y| > 5120, in either net, else 0; a demolished car gives 0."""

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        return _cost((np.abs(state.position[..., 1]) > BACK_WALL_Y) & alive(state))


def _cost(there: Bool) -> Float:
    return -there.astype(np.float32)
