"""The random states that rewards are tried on: possible ones, in which much happens, and the same each time."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.base import Reward, alive
from rltui.rewards.checks import try_out
from rltui.rewards.sampling import sample_states
from rltui.sim.state import GameState
from tests.fakes.game_states import TEAM_SIZES, random_state

ARENAS, COUNT = 200, 3


def states(teams: tuple[int, int] = (2, 1), seed: int = 0) -> list[GameState]:
    return sample_states(np.random.default_rng(seed), ARENAS, teams, COUNT, contacts=True)


def test_shapes_and_types_are_those_of_the_environment(subtests: pytest.Subtests) -> None:
    for teams in TEAM_SIZES:
        with subtests.test(teams=teams):
            like = random_state(np.random.default_rng(0), ARENAS, *teams)
            for state in states(teams):
                for name in [field.name for field in fields(GameState) if not field.name.startswith("_")]:
                    found, expected = np.asarray(getattr(state, name)), np.asarray(getattr(like, name))
                    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), name
                    assert np.isfinite(found).all(), name


def test_they_are_possible() -> None:
    for state in states():
        for positions in (state.ball_position[:, None], state.position):
            assert (np.abs(positions[..., 0]) <= 4096).all() and (np.abs(positions[..., 1]) <= 6000).all()
            assert (positions[..., 2] >= 17).all() and (positions[..., 2] <= 2044).all()
        assert (np.linalg.norm(state.ball_velocity, axis=-1) <= 6000).all()
        assert (np.linalg.norm(state.velocity, axis=-1) <= 2300.01).all()
        np.testing.assert_allclose(np.linalg.norm(state.forward, axis=-1), 1, rtol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(state.up, axis=-1), 1, rtol=1e-5)
        np.testing.assert_allclose((state.forward * state.up).sum(axis=-1), 0, atol=1e-5)
        assert ((state.contacts.wheels >= 3) == (state.on_ground & alive(state))).all()
        assert not (state.on_ground & (state.can_flip | state.world_contact)).any()
        assert ((state.touches > 0) == (state.touch_height > 0)).all()
        assert (state.last_toucher_of[:, 0] < 2).all() and np.isin(state.last_toucher_of[:, 1], [-1, 2]).all()
        touched = state.touches.any(axis=1)
        assert (state.touches[touched, state.last_toucher[touched]] > 0).all()
        assert ((state.goal != 0) == (np.abs(state.ball_position[:, 1]) > 5215.5)).all()
        assert (np.sign(state.ball_position[:, 1]) * np.abs(state.goal) == state.goal).all()


def test_much_happens_after_the_first_and_nothing_in_it() -> None:
    first, *later = states()
    events = ("touches", "shots", "saves", "demos", "demoed", "goal", "boost_gained")
    assert not any(getattr(first, name).any() for name in events)
    assert (first.last_toucher == -1).all() and (first.pad_picked == -1).all() and not first.ends.terminated.any()
    for name in (*events, "on_ground", "world_contact", "can_flip", "is_flipping", "has_double_jumped"):
        assert any(getattr(state, name).any() for state in later), name
    assert [int(state.tick[0]) for state in (first, *later)] == [0, 8, 16]
    assert later[-1].ends.terminated.any() and not later[0].ends.terminated.any()


def test_the_same_generator_gives_the_same_states() -> None:
    for one, other in zip(states(seed=3), states(seed=3), strict=True):
        assert (one.position == other.position).all() and (one.touches == other.touches).all()


def test_registered_rewards_keep_their_sign_on_them_and_are_not_always_zero(subtests: pytest.Subtests) -> None:
    for name in BUILT_IN["reward"]:
        with subtests.test(name=name):
            reward: Reward = build("reward", Component(name))
            trial = try_out(reward, (2, 2))
            assert trial.failure == "" and trial.low < trial.high
            assert reward.sign == 0 or (trial.low >= 0 if reward.sign > 0 else trial.high <= 0)
