"""The turned game against the tests' own way of turning one, field by field."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from rltui.checks.components import counterparts, turned
from tests.fakes import game_states
from tests.fakes.game_states import TEAM_SIZES, random_state


@pytest.mark.parametrize(("blue", "orange"), TEAM_SIZES)
def test_every_field(blue: int, orange: int) -> None:
    state = random_state(np.random.default_rng(10 * blue + orange), 6, blue, orange)
    mine, expected = turned(state), game_states.turned(state)
    assert counterparts(state).tolist() == game_states.counterparts(state)
    for field in fields(state):
        if not field.name.startswith("_"):
            np.testing.assert_array_equal(getattr(mine, field.name), getattr(expected, field.name), field.name)
    np.testing.assert_array_equal(mine.contacts.wheels, expected.contacts.wheels)
    np.testing.assert_array_equal(mine.contacts.normal, expected.contacts.normal)


def test_twice_is_the_game_itself() -> None:
    state = random_state(np.random.default_rng(0), 6, 2, 1)
    again = turned(turned(state))
    for field in fields(state):
        if not field.name.startswith("_"):
            np.testing.assert_array_equal(getattr(again, field.name), getattr(state, field.name), field.name)
