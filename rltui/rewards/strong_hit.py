"""`strong_hit`: a touch pays by how much it changed the ball's velocity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


class StrongHit(Reward):
    """On a touch by this car: sqrt(min(Δv / full_hit_speed, 1)), else 0.

    Δv is the length of the change of ball velocity over the step, whoever caused it.
    """

    category = "ball"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        full_hit_speed: float = field(
            default=2300.0,
            metadata={"doc": "Change of ball velocity that pays 1.", "unit": "uu/s", "min": 1.0, "max": 12000.0},
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._full_hit_speed = params.full_hit_speed
        self._ball_velocity = Memory()  # [K, 3] at the end of the last step

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._ball_velocity.begin(arenas, state.ball_velocity)

    def value(self, state: GameState) -> Float:
        before = self._ball_velocity.values
        change = state.ball_velocity - before
        np.copyto(before, state.ball_velocity)
        strength = np.sqrt(np.einsum("ki,ki->k", change, change)) / self._full_hit_speed
        paid = np.sqrt(np.minimum(strength, 1.0))
        hits: Float = paid[:, None] * (state.touches > 0)
        return hits
