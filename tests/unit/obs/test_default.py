"""DefaultObs against RLGym's own, and what it does with its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rlgym.rocket_league.obs_builders import DefaultObs as RlgymObs

from rltui.errors import RltuiError
from rltui.obs.default import DefaultObs
from rltui.registry import Component, build
from tests.fakes.game_states import TEAM_SIZES, as_rlgym, random_state

SEED_TASK = {
    "zero_padding": None,
    "pos_coef": [1 / 4096, 1 / 5120, 1 / 2044],
    "ang_coef": 1 / np.pi,
    "lin_vel_coef": 1 / 2300,
    "ang_vel_coef": 1 / 5.5,
    "boost_coef": 1 / 100,
}


def observe(obs: Any, state: Any) -> np.ndarray:
    """All rows, written over NaN so that a forgotten number shows."""
    out = np.full((state.arenas, state.cars, obs.size(state.blue, state.orange)), np.nan, dtype=np.float32)
    obs.build(state, out)
    return out


def rlgym_rows(options: dict[str, Any], state: Any, arena: int) -> np.ndarray:
    judge = RlgymObs(**{key: np.array(value) if isinstance(value, list) else value for key, value in options.items()})
    game = as_rlgym(state, arena)
    return np.stack(list(judge.build_obs(list(game.cars), game, {}).values()))


def test_equals_rlgym_for_all_team_sizes(subtests: pytest.Subtests) -> None:
    for options in ({}, {"zero_padding": 1}, {"zero_padding": 2}, {"zero_padding": 0}, SEED_TASK):
        for blue, orange in TEAM_SIZES:
            with subtests.test(options=options, blue=blue, orange=orange):
                state = random_state(np.random.default_rng(blue * 4 + orange), 4, blue, orange)
                rows = observe(build("obs", Component("default", options)), state)
                for arena in range(state.arenas):
                    np.testing.assert_allclose(rows[arena], rlgym_rows(options, state, arena), rtol=1e-6, atol=1e-6)


def test_sizes_are_those_of_facts() -> None:
    assert build("obs", Component("default", SEED_TASK)).size(1, 1) == 92
    assert build("obs", Component("default")).size(1, 1) == 172
    assert build("obs", Component("default", {"zero_padding": 0})).size(2, 1) == 112


def test_writes_into_a_strided_view_of_shared_memory() -> None:
    state = random_state(np.random.default_rng(5), 3, 2, 1)
    obs = DefaultObs(DefaultObs.Params())
    block = np.full((3, 5, 200), np.nan, dtype=np.float32)
    obs.build(state, block[:, 1:4, 10:182])
    np.testing.assert_array_equal(block[:, 1:4, 10:182], observe(obs, state))
    assert np.isnan(block[:, 0]).all() and np.isnan(block[:, 4]).all()
    assert np.isnan(block[:, :, :10]).all() and np.isnan(block[:, :, 182:]).all()


def test_one_builder_serves_changing_numbers_of_arenas_and_cars() -> None:
    obs = DefaultObs(DefaultObs.Params(zero_padding=2))
    for arenas, blue, orange in ((5, 1, 1), (2, 2, 1), (5, 1, 1)):
        state = random_state(np.random.default_rng(arenas), arenas, blue, orange)
        np.testing.assert_array_equal(observe(obs, state), observe(DefaultObs(obs.params), state))


def test_a_wrong_parameter_is_named(subtests: pytest.Subtests) -> None:
    for options, words in (
        ({"pos_coef": [1.0, 2.0]}, "pos_coef must be a number or a list of three, found [1.0, 2.0]"),
        ({"boost_coef": [1.0, 1.0, 1.0]}, "boost_coef must be a number, found"),
        ({"lin_vel_coef": "fast"}, "lin_vel_coef must be a number or a list of three, found 'fast'"),
        ({"ang_vel_coef": float("nan")}, "ang_vel_coef must be"),
        ({"zero_padding": 1.5}, "zero_padding must be a whole number, found 1.5"),
        ({"zero_padding": -1}, "zero_padding must be in [0, 8]"),
        ({"zero_pading": 3}, 'did you mean "zero_padding"?'),
    ):
        with subtests.test(options=options, words=words):
            with pytest.raises(RltuiError) as caught:
                build("obs", Component("default", options))
            assert words in f"{caught.value.message}\n{caught.value.hint}"
            assert caught.value.exit_code == 2
