"""`liu_distance_ball_to_goal` and `liu_distance_player_to_ball`: nearness that decays with distance.

RLGym 1 names them after Liu et al., "From Motor Control to Team Play in Simulated Humanoid Football" (2021).
"""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.geometry import length
from rltui.rewards.nets import NetParams, opponent_nets
from rltui.rewards.reward import Reward
from rltui.sim.field import BACK_WALL_Y, BALL_MAX_SPEED, BALL_RADIUS, CAR_MAX_SPEED, NET_Y
from rltui.sim.state import Float, GameState


class LiuDistanceBallToGoal(Reward):
    """exp(−0.5 · (d − 971.25) / 6000), d = distance from the ball to the middle of the opponents' back net: 0..1.09.

    About 1 where the ball touches the goal line: 880 uu before the back of the net, less its radius.
    """

    category = "goal"
    sign = 1

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._nets = opponent_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        distances = length(self._nets - state.ball_position[:, None])
        return _nearness(distances, NET_Y - BACK_WALL_Y + BALL_RADIUS, BALL_MAX_SPEED).take(state.team, axis=1)


class LiuDistancePlayerToBall(Reward):
    """exp(−0.5 · (distance from car to ball − 91.25) / 2300): 0..1.02; 0 for a demolished car."""

    category = "ball"
    sign = 1

    def value(self, state: GameState) -> Float:
        nearness = _nearness(length(state.ball_position[:, None] - state.position), BALL_RADIUS, CAR_MAX_SPEED)
        nearness *= alive(state)
        return nearness


def _nearness(distances: Float, nearest: float, scale: float) -> Float:
    """exp(−0.5 · (distance − nearest) / scale), written over the distances."""
    distances -= nearest
    distances *= -0.5 / scale
    np.exp(distances, out=distances)
    return distances
