"""Rewards for goals, shots, saves and kickoffs."""

from __future__ import annotations

import numpy as np

from rltui.rewards.base import ArenaMemory, Reward
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


class Shot(Reward):
    """1 on the step in which the game counts a shot of this car's, else 0: RocketSim does so 0.3 s after the touch."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.shots.astype(np.float32)


class Save(Reward):
    """1 on a step in which this car's touch kept a shot from its own goal, else 0."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.saves.astype(np.float32)


class KickoffFirstTouch(Reward):
    """1 on the first touch of an episode that began with a kickoff, else 0; to each car that touches in that step.

    Two cars that meet the ball within one step are even: the state does not say whose tick came first.
    """

    category = "events"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._untouched = ArenaMemory(np.bool_)  # [K] a kickoff's ball that nobody has touched yet

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._untouched.begin(arenas, state.kickoff)

    def value(self, state: GameState) -> Float:
        untouched = self._untouched.values
        touched = state.touches > 0
        first: Bool = touched & untouched[:, None]
        untouched &= ~touched.any(axis=1)
        return first.astype(np.float32)
