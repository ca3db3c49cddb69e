"""Environments as users write them: each numbers its steps, so that a row shows which moment it is of. Named in profiles as
`tests/fakes/user_envs.py:counting`.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from rlgym.api import RLGym

LAST = 10  # the step with which an episode ends
PAID = 0.5


class Counting(gymnasium.Env[Any, Any]):
    """Sees (step, last action). Cut at the last step; action 1 ends it. Its reward is the step."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.now = 0
        return np.zeros(2), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self.now += 1
        ends = bool(action == 1)
        return np.array([self.now, action]), self.now, ends, self.now == LAST, {}


class GymStyle:
    """Two agents as rlgym-ppo has them: one buffer for all observations, actions [2, 1], rewards in a list."""

    observation_space = SimpleNamespace(shape=(3,))
    action_space = SimpleNamespace(n=4)

    def __init__(self, ends: int) -> None:
        """ends: 1: a step tells one kind of end, as in rlgym-sim; 2: both."""
        self.ends, self.seen = ends, np.zeros((2, 3))

    def reset(self) -> Any:
        self.now = 0
        self.seen[:] = [[0, 0, 0], [0, 1, 0]]
        return self.seen

    def step(self, actions: Any) -> tuple[Any, ...]:
        assert actions.shape == (2, 1)
        self.now += 1
        self.seen[:, 0], self.seen[:, 2] = self.now, actions[:, 0]
        over = self.now == LAST
        return (self.seen, [PAID, -PAID], *((over,) if self.ends == 1 else (False, over)), {"state": None})


class TwoCars(RLGym[Any, Any, Any, Any, Any, Any, Any, Any]):
    """RLGym's own interface without a game. blue-0 alone ends, at the last step; from the second episode on `later` agents."""

    agents = ("blue-0", "orange-0", "orange-1")

    def __init__(self, later: int = 2) -> None:
        self._count, self._later = 2, later

    def action_space(self, agent: Any) -> Any:
        return "discrete", 5

    def reset(self) -> Any:
        self.now = 0
        playing = self.agents[: self._count]
        self._count = self._later
        self.playing = playing
        return {agent: np.zeros(4) for agent in playing}

    def step(self, actions: Any) -> Any:
        assert all(action.shape == (1,) for action in actions.values())
        self.now += 1
        seen = {agent: np.full(4, self.now) for agent in self.playing}
        ends = {agent: agent == "blue-0" and self.now == LAST for agent in self.playing}
        return seen, dict.fromkeys(self.playing, PAID), ends, dict.fromkeys(self.playing, False)


class Wrapper:
    """As rlgym-ppo's RLGymV2GymWrapper: the RLGym is inside."""

    def __init__(self, rlgym_env: Any) -> None:
        self.rlgym_env, self.action_space = rlgym_env, None


class Drawing(Counting):
    """Sees a number of NumPy's global generator and one of Python's."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        _, *rest = super().step(action)
        return np.array([np.random.random(), random.random()]), *rest


class Continuous(Counting):
    action_space = spaces.Box(-1.0, 1.0, (1,))


def counting() -> Any:
    return Counting()


def drawing() -> Any:
    return Drawing()


def continuous() -> Any:
    return Continuous()


def of_rlgym_ppo() -> Any:
    return GymStyle(2)


def of_rlgym_sim() -> Any:
    return GymStyle(1)


def two_cars() -> Any:
    return TwoCars()


def wrapped() -> Any:
    return Wrapper(TwoCars())


def changing_teams() -> Any:
    return TwoCars(later=3)


def printing() -> Any:
    print("said while it was built")
    return Counting()


def no_environment() -> Any:
    return 3


def broken() -> Any:
    raise ValueError("no such map")


def needs_arguments(teams: int) -> Any:
    return TwoCars(teams)


def outer() -> Any:
    def inside() -> Any:
        return Counting()

    return inside


already_made = TwoCars()
