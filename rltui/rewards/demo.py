"""`demo` and `demoed`: the two sides of a demolition."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class Demo(Reward):
    """1 on a step in which this car demolished another, else 0."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.demos.astype(np.float32)


class Demoed(Reward):
    """1 on the step in which this car was demolished, else 0: meant for a negative weight."""

    category = "events"
    sign = 1
    penalty = True

    def value(self, state: GameState) -> Float:
        return state.demoed.astype(np.float32)
