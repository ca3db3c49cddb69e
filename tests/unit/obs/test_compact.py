"""CompactObs: 180 numbers whatever the teams, DefaultObs's own and the action before."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.registry import Component, build
from tests.fakes.game_states import TEAM_SIZES, random_state


def test_is_the_padded_default_and_the_action_before(subtests: pytest.Subtests) -> None:
    for blue, orange in TEAM_SIZES:
        with subtests.test(blue=blue, orange=orange):
            state = random_state(np.random.default_rng(blue * 4 + orange), 4, blue, orange)
            obs, default = build("obs", Component("compact")), build("obs", Component("default", {"zero_padding": 3}))
            assert (obs.size(blue, orange), default.size(blue, orange)) == (180, 172)
            rows = np.full((4, state.cars, 180), np.nan, np.float32)
            first = np.zeros((4, state.cars, 172), np.float32)
            obs.build(state, rows)
            default.build(state, first)
            np.testing.assert_array_equal(rows[..., :172], first)
            np.testing.assert_array_equal(rows[..., 172:], state.previous_actions)
