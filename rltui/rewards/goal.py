"""`goal` and `concede`: the two sides of the same event. RLGym's GoalReward is goal − concede."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Float, GameState


class Goal(Reward):
    """1 to every car of the scoring team on the step of the goal, else 0. An own goal is the other team's goal."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return (_own_goals(state) > 0).astype(np.float32)


class Concede(Reward):
    """1 to every car of the team that let the goal in, on its step, else 0: meant for a negative weight."""

    category = "events"
    sign = 1
    penalty = True

    def value(self, state: GameState) -> Float:
        return (_own_goals(state) < 0).astype(np.float32)


def _own_goals(state: GameState) -> Float:
    """[K, C] +1 own team scored, −1 the other, 0 neither."""
    return state.goal[:, None] * state.team_sign
