"""`goal` and `concede`: the two sides of the same event. RLGym's GoalReward is goal − concede. `scorer`: who did it."""

from __future__ import annotations

import numpy as np

from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState


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


class Scorer(Reward):
    """1 to the car of the scoring team that touched the ball last, on the step of the goal, else 0.

    An opponent may have touched it since, as in an own goal. Nobody gets it if no car of the team ever touched the ball.
    """

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        blue, orange = state.last_toucher_of[:, 0], state.last_toucher_of[:, 1]
        scorers = np.where(state.goal > 0, blue, np.where(state.goal < 0, orange, -1))
        scored: Bool = scorers[:, None] == np.arange(state.cars)
        return scored.astype(np.float32)


def _own_goals(state: GameState) -> Float:
    """[K, C] +1 own team scored, −1 the other, 0 neither."""
    return state.goal[:, None] * state.team_sign
