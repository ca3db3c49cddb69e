"""Rewards for speed, distance, facing, place, air and ground."""

from __future__ import annotations

import numpy as np

from rltui.field import BACK_WALL_Y, BALL_MAX_SPEED, BALL_RADIUS, CAR_MAX_SPEED, NET_Y
from rltui.rewards.base import Reward, alive, off_the_ground
from rltui.rewards.geometry import NetParams, component, cosine, length, opponent_nets, own_nets
from rltui.sim.state import Bool, Float, GameState

TILTED, OVER = 0.75, 0.0  # up.z below it


class SpeedTowardBall(Reward):
    """max(0, car velocity · direction to the ball) / 2300: 0..1."""

    category = "ball"
    sign = 1

    def value(self, state: GameState) -> Float:
        speeds = component(state.velocity, state.ball_position[:, None] - state.position)
        np.maximum(speeds, 0.0, out=speeds)
        speeds /= CAR_MAX_SPEED
        return speeds


class VelocityPlayerToBall(Reward):
    """Car velocity · direction to the ball / 2300: −1..1; `speed_toward_ball` with its sign. A demolished car is at rest."""

    category = "ball"
    sign = 0

    def value(self, state: GameState) -> Float:
        speeds = component(state.velocity, state.ball_position[:, None] - state.position)
        speeds /= CAR_MAX_SPEED
        return speeds


class FaceBall(Reward):
    """Car forward · direction to the ball: 1 at it, −1 away from it; 0 for a demolished car."""

    category = "ball"
    sign = 0

    def value(self, state: GameState) -> Float:
        cosines = component(state.forward, state.ball_position[:, None] - state.position)
        cosines *= alive(state)
        return cosines


class LiuDistanceBallToGoal(Reward):
    """exp(−0.5 · (d − 971.25) / 6000), d = distance from the ball to the middle of the opponents' back net: 0..1.09.

    About 1 where the ball touches the goal line: 880 uu before the back of the net, less its radius. RLGym 1 names it after
    Liu et al., "From Motor Control to Team Play in Simulated Humanoid Football" (2021).
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


class AlignBallGoal(Reward):
    """½ cos(ball − car, car − own net) + ½ cos(ball − car, opponents' net − car): −1..1; 0 for a demolished car.

    1: the car is on the line from its own net through the ball to the other net, behind the ball.
    """

    category = "positioning"
    sign = 0

    Params = NetParams

    def __init__(self, params: NetParams) -> None:
        super().__init__(params)
        self._own, self._opponents = own_nets(params.target_z), opponent_nets(params.target_z)

    def value(self, state: GameState) -> Float:
        to_ball = state.ball_position[:, None] - state.position
        values = cosine(to_ball, state.position - self._own[state.team])
        values += cosine(to_ball, self._opponents[state.team] - state.position)
        values *= 0.5
        values *= alive(state)
        return values


class InAir(Reward):
    """1 while fewer than three wheels touch a surface, else 0. A demolished car is not in the air."""

    category = "aerial"
    sign = 1

    def value(self, state: GameState) -> Float:
        return off_the_ground(state).astype(np.float32)


class OffGround(Reward):
    """−1 while fewer than three wheels touch a surface, else 0. A demolished car is not off the ground."""

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        return -off_the_ground(state).astype(np.float32)


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


class BadOrientation(Reward):
    """With the body on the world and fewer than three wheels down: −0.3 if up.z < 0, −0.1 if up.z < 0.75, else 0.

    A demolished car gives 0.
    """

    category = "penalties"
    sign = -1
    penalty = True

    def value(self, state: GameState) -> Float:
        up_z = state.up[..., 2]
        cost = np.where(up_z < OVER, np.float32(-0.3), np.where(up_z < TILTED, np.float32(-0.1), np.float32(0.0)))
        cost *= off_the_ground(state) & state.world_contact
        return cost
