"""RLGym's GoalReward and TouchReward, and the benchmark task's classes, on the same states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rlgym.rocket_league.reward_functions import GoalReward, TouchReward

from rltui.registry import Component, build
from rltui.rewards.combined import CombinedReward
from rltui.sim.state import GameState
from tests.fakes import seed_task_rewards
from tests.fakes.game_states import TEAM_SIZES, as_rlgym, random_state

SEED_TASK = {
    "in_air": (0.002, {}),
    "speed_toward_ball": (0.01, {}),
    "velocity_ball_to_goal": (0.1, {"clip": True, "target_z": 0}),
}


def value(name: str, state: GameState, options: dict[str, Any] | None = None) -> np.ndarray:
    return build("reward", Component(name, options or {})).value(state)  # type: ignore[no-any-return]


def judged(judge: Any, state: GameState) -> list[list[float]]:
    games = [as_rlgym(state, arena) for arena in range(state.arenas)]
    return [list(judge.get_rewards(list(game.cars), game, {}, {}, {}).values()) for game in games]


def test_goal_less_concede_is_goal_reward(subtests: pytest.Subtests) -> None:
    for blue, orange in TEAM_SIZES:
        with subtests.test(blue=blue, orange=orange):
            state = random_state(np.random.default_rng(1), 30, blue, orange)
            assert {-1, 0, 1} == set(state.goal.tolist())
            np.testing.assert_array_equal(value("goal", state) - value("concede", state), judged(GoalReward(), state))


def test_touch_is_touch_reward(subtests: pytest.Subtests) -> None:
    for blue, orange in TEAM_SIZES:
        with subtests.test(blue=blue, orange=orange):
            state = random_state(np.random.default_rng(2), 30, blue, orange)
            np.testing.assert_array_equal(value("touch", state), judged(TouchReward(), state))


def test_benchmark_task_terms(subtests: pytest.Subtests) -> None:
    for name in SEED_TASK:
        for blue, orange in ((1, 1), (3, 2)):
            with subtests.test(name=name, blue=blue, orange=orange):
                state = random_state(np.random.default_rng(3), 50, blue, orange)
                games = [as_rlgym(state, arena) for arena in range(50)]
                judge = getattr(seed_task_rewards, name)
                expected = [[judge(car, game) for car in game.cars.values()] for game in games]
                np.testing.assert_allclose(value(name, state, SEED_TASK[name][1]), expected, rtol=1e-5, atol=1e-6)


def test_benchmark_task_total() -> None:
    state = random_state(np.random.default_rng(4), 50, 1, 1)
    terms = {**SEED_TASK, "goal": (10.0, {}), "concede": (-10.0, {})}
    combined = CombinedReward([(n, build("reward", Component(n, o)), w) for n, (w, o) in terms.items()])
    total = np.empty((50, 2), dtype=np.float32)
    combined.value(state, total, np.empty((5, 50, 2), dtype=np.float32))
    expected = 10.0 * np.array(judged(GoalReward(), state))
    for arena in range(50):
        game = as_rlgym(state, arena)
        for name, (weight, _) in SEED_TASK.items():
            expected[arena] += [weight * getattr(seed_task_rewards, name)(car, game) for car in game.cars.values()]
    np.testing.assert_allclose(total, expected, rtol=1e-5, atol=1e-6)
