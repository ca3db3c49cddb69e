"""`basic_aerial`: the parts of an aerial, each paid for by itself."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import off_the_ground
from rltui.rewards.geometry import component, length
from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.field import TICKS_PER_SECOND
from rltui.sim.state import Bool, Float, GameState

REACH = 500.0  # uu from the ball
LONG_FLIGHT = 6.0 * TICKS_PER_SECOND  # ticks
NOSE_UP, ALIGNED = 0.5, 0.8  # forward.z; cosine between velocity and direction to the ball


class BasicAerial(Reward):
    """Off the ground within 500 uu of the ball: 0.2 · airborne seconds / 6 + 0.2 nose up + 0.3 boosting + 0.3 aligned, ≤ 1.

    Airborne seconds since the car was last seen on the ground, or since the episode's start; nose up: forward.z > 0.5;
    boosting: with boost left, while rising; aligned: cosine between velocity and direction to the ball > 0.8. 0 elsewhere.
    """

    category = "aerial"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._left = Memory(np.int64)  # [K, C] tick at which the car was last seen on the ground

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._left.begin(arenas, np.repeat(state.tick[:, None], state.cars, axis=1))

    def value(self, state: GameState) -> Float:
        airborne, left = off_the_ground(state), self._left.values
        np.copyto(left, state.tick[:, None], where=~airborne)
        lines = state.ball_position[:, None] - state.position
        value: Float = ((state.tick[:, None] - left) * (0.2 / LONG_FLIGHT)).astype(np.float32)
        np.minimum(value, 0.2, out=value)
        value += 0.2 * (state.forward[..., 2] > NOSE_UP)
        value += 0.3 * (state.is_boosting & (state.boost > 0) & (state.velocity[..., 2] > 0))
        value += 0.3 * (component(state.velocity, lines) > ALIGNED * length(state.velocity))
        value *= airborne & (length(lines) <= REACH)
        return np.minimum(value, 1.0, out=value)
