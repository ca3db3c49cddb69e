"""What holds for every registered reward: blind to team and to left and right, finite whatever coincides, of the sign that it declares."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.registry import BUILT_IN, Component, build, resolve
from rltui.rewards.base import Category, Reward
from rltui.sim.state import Float, GameState
from tests.fakes.every import every
from tests.fakes.game_states import TEAM_SIZES, counterparts, mirrored, turned
from tests.fakes.scrimmage import scrimmage

REWARDS = list(BUILT_IN["reward"])
ARENAS = 4
ALL = np.ones(ARENAS, dtype=bool)


def rollout(seed: int, blue: int, orange: int, steps: int = 4) -> list[GameState]:
    return scrimmage(np.random.default_rng(seed), ARENAS, (blue, orange), steps)


def play(name: str, states: list[GameState]) -> Float:
    """[steps − 1, K, C]: a new reward, reset on the first state, then one value for each other state."""
    reward: Reward = build("reward", Component(name))
    reward.reset(states[0], np.ones(states[0].arenas, dtype=bool))
    return np.stack([reward.value(state).copy() for state in states[1:]])


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES))
def test_blind_to_team(seed: int, sizes: tuple[int, int]) -> None:
    states = rollout(seed, *sizes)
    others, cars = [turned(state) for state in states], counterparts(states[0])

    def check(name: str) -> None:
        np.testing.assert_allclose(play(name, others), play(name, states)[:, :, cars], rtol=1e-6, atol=1e-6)

    every(REWARDS, check)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES))
def test_blind_to_left_and_right(seed: int, sizes: tuple[int, int]) -> None:
    states = rollout(seed, *sizes)
    images = [mirrored(state) for state in states]

    def check(name: str) -> None:
        np.testing.assert_allclose(play(name, images), play(name, states), rtol=1e-5, atol=1e-5)

    every(REWARDS, check)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES))
def test_shape_dtype_and_declared_sign(seed: int, sizes: tuple[int, int]) -> None:
    states = rollout(seed, *sizes)

    def check(name: str) -> None:
        values = play(name, states)
        assert values.shape == (3, ARENAS, sum(sizes))
        assert values.dtype == np.float32
        cls: type[Reward] = resolve("reward", name)
        assert cls.category in get_args(Category)
        if cls.sign:
            assert (cls.sign * values >= 0).all()

    every(REWARDS, check)


def test_an_arena_is_paid_by_what_happens_in_it_alone(subtests: pytest.Subtests) -> None:
    states, some = rollout(3, 2, 3), slice(1, 3)
    for name in REWARDS:
        with subtests.test(name=name):
            alone = play(name, [state.part(some) for state in states])
            np.testing.assert_array_equal(alone, play(name, states)[:, some])


def test_finite_when_car_ball_and_goal_coincide(subtests: pytest.Subtests) -> None:
    points = ((0, 0, 0), (0, 6000, 321.39), (0, -6000, 321.39), (0, 6000, 0), (-4096, 5120, 2044))
    for point, speed in product(points, (0.0, 1.0)):
        states = [
            replace(
                state,
                ball_position=np.full((ARENAS, 3), point, dtype=np.float32),
                position=np.full((ARENAS, 4, 3), point, dtype=np.float32),
                ball_velocity=state.ball_velocity * np.float32(speed),
                velocity=state.velocity * np.float32(speed),
            )
            for state in rollout(7, 2, 2)
        ]
        for name in REWARDS:
            with (
                subtests.test(point=point, speed=speed, name=name),
                np.errstate(divide="raise", invalid="raise", over="raise"),
            ):
                assert np.isfinite(play(name, states)).all()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), mask=st.lists(st.booleans(), min_size=ARENAS, max_size=ARENAS))
def test_a_reset_forgets_these_arenas_and_no_other(seed: int, mask: list[bool]) -> None:
    arenas = np.array(mask)
    before, first, after = rollout(seed, 1, 2, steps=3)

    def check(name: str) -> None:
        reward: Reward = build("reward", Component(name))
        reward.reset(before, ALL)
        reward.value(before)
        reward.reset(first, arenas)
        values = reward.value(after)
        expected = np.where(arenas[:, None], play(name, [first, after])[0], play(name, [before, before, after])[1])
        np.testing.assert_array_equal(values, expected)

    every(REWARDS, check)
