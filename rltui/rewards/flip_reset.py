"""`flip_reset`: getting the flip back from the ball."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.geometry import length
from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.field import FLIP_WINDOW_SECONDS
from rltui.sim.state import Bool, Float, GameState

NEAR = 300.0  # uu from car to ball one step after its wheels left it, at most
WHEELS_ON_BALL = 150.0  # uu from car to ball with the wheels on it, at most
BELOW = 0.7  # cosine between the car's down and the direction to the ball


class FlipReset(Reward):
    """1 on the step in which a car in the air whose flip was used up or timed out has it back from the ball, else 0.

    The wheels' touch gives it back, on the world too: what counts is that they are on the ball (within 150 uu, below the
    car) or left it (within 300 uu) since the last step, the body touching nothing and no new jump made.
    """

    category = "mechanics"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._spent = Memory(np.bool_)  # [K, C] without a flip at the last step

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._spent.begin(arenas, _spent(state))

    def value(self, state: GameState) -> Float:
        spent = _spent(state)
        regained = self._spent.values & ~spent
        np.copyto(self._spent.values, spent)
        if not regained.any():
            return np.zeros(regained.shape, np.float32)
        regained &= alive(state) & ~state.world_contact
        regained &= np.where(state.on_ground, _wheels_on_ball(state), _left_ball(state))
        return regained.astype(np.float32)


def _spent(state: GameState) -> Bool:
    """[K, C] no flip left, by its use or by time; a demolished car has nothing to get back."""
    late = state.has_jumped & (state.air_time_since_jump >= FLIP_WINDOW_SECONDS)
    spent: Bool = state.has_flipped | state.has_double_jumped | late
    return spent & alive(state)


def _wheels_on_ball(state: GameState) -> Bool:
    """[K, C] for cars with wheels on something: it is the ball."""
    lines = state.ball_position[:, None] - state.position
    distances = length(lines)
    below = -np.einsum("kci,kci->kc", lines, state.up)
    on_ball: Bool = (distances <= WHEELS_ON_BALL) & (below > BELOW * distances)
    return on_ball


def _left_ball(state: GameState) -> Bool:
    """[K, C] for cars in the air: the ball can be what their wheels touched since the last step."""
    near: Bool = length(state.ball_position[:, None] - state.position) <= NEAR
    return near & ~state.has_jumped
