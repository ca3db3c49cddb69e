"""`strong_hit`: a touch pays by how much it changed the ball's velocity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


class StrongHit(Reward):
    """On a step with a touch by this car: sqrt(min(Δv / full_hit_speed, 1)), else 0. Δv is the length of the change of
    ball velocity over the step, whoever caused it.
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
        self._ball_velocity: Float | None = None  # [K, 3] at the end of the last step

    def reset(self, state: GameState, arenas: Bool) -> None:
        if self._ball_velocity is None or len(self._ball_velocity) != state.arenas:
            self._ball_velocity = state.ball_velocity.copy()
        self._ball_velocity[arenas] = state.ball_velocity[arenas]

    def value(self, state: GameState) -> Float:
        if self._ball_velocity is None:
            raise RuntimeError("strong_hit: reset comes before the first step")
        change = state.ball_velocity - self._ball_velocity
        np.copyto(self._ball_velocity, state.ball_velocity)
        strength = np.sqrt(np.einsum("ki,ki->k", change, change)) / self._full_hit_speed
        paid = np.sqrt(np.minimum(strength, 1.0))
        hits: Float = paid[:, None] * (state.touches > 0)
        return hits
