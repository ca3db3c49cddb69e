"""`jump_shot`: jumping at a ball in the air, the higher the better."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import off_the_ground
from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.field import CEILING_Z, TICKS_PER_SECOND
from rltui.sim.state import Bool, Float, GameState

WINDOW = 6.0  # seconds since the jump
LONG_AGO = -1e9  # seconds


class JumpShot(Reward):
    """On a touch while off the ground within 6 s of this car's newest jump: height of the touched ball / 2044, else 0.

    The jump counts from its end, for while the button lifts the car it goes on.
    """

    category = "aerial"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._jumped = Memory(np.float64)  # [K, C] second of the episode at which the newest jump ended

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._jumped.begin(arenas, np.where(state.has_jumped, _jump_end(state), LONG_AGO))

    def value(self, state: GameState) -> Float:
        jumped = self._jumped.values
        np.copyto(jumped, _jump_end(state), where=state.has_jumped)
        recent = state.tick[:, None] / TICKS_PER_SECOND - jumped <= WINDOW
        recent &= state.touches > 0
        recent &= off_the_ground(state)
        heights: Float = recent * state.touch_height
        heights /= CEILING_Z
        return heights


def _jump_end(state: GameState) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """[K, C] second of the episode; only for cars that have jumped."""
    return state.tick[:, None] / TICKS_PER_SECOND - state.air_time_since_jump
