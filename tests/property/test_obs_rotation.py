"""Turn the world by 180° and swap the teams: each car sees exactly what its counterpart saw. For every builder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.registry import BUILT_IN, Component, build
from tests.fakes.game_states import TEAM_SIZES, counterparts, random_state, turned


@pytest.mark.parametrize(("blue", "orange"), TEAM_SIZES)
@pytest.mark.parametrize("name", BUILT_IN["obs"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_counterparts_see_the_same(name: str, blue: int, orange: int, seed: int) -> None:
    state = random_state(np.random.default_rng(seed), 3, blue, orange)
    other = turned(state)
    obs = build("obs", Component(name))
    rows = np.full((3, state.cars, obs.size(blue, orange)), np.nan, dtype=np.float32)
    turned_rows = np.full((3, state.cars, obs.size(orange, blue)), np.nan, dtype=np.float32)
    obs.build(state, rows)
    obs.build(other, turned_rows)
    np.testing.assert_array_equal(turned_rows, rows[:, counterparts(state)])
    assert np.isfinite(rows).all()
