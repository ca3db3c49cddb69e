"""`kickoff_first_touch`: being first at the ball."""

from __future__ import annotations

import numpy as np

from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


class KickoffFirstTouch(Reward):
    """1 on the first touch of an episode that began with a kickoff, else 0; to each car that touches in that step.

    Two cars that meet the ball within one step are even: the state does not say whose tick came first.
    """

    category = "events"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._untouched = Memory(np.bool_)  # [K] a kickoff's ball that nobody has touched yet

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._untouched.begin(arenas, state.kickoff)

    def value(self, state: GameState) -> Float:
        untouched = self._untouched.values
        touched = state.touches > 0
        first: Bool = touched & untouched[:, None]
        untouched &= ~touched.any(axis=1)
        return first.astype(np.float32)
