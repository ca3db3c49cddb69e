"""A saved policy plays whatever cars it is given as it plays them alone: its own observation, stack, legality, sticky buttons."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.env.saved_player import SavedPlayer
from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy
from tests.fakes.bots import write_bot
from tests.fakes.game_states import random_state

ARENAS, TEAMS = 4, (2, 2)
PROFILE = """\
schema = 1
obs.stack = 2
obs.zero_padding = 0
actions.legality = "mask"
actions.sticky = 3
game.blue = 2
game.orange = 2
rewards.touch = 1.0
"""


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> SavedPolicy:
    folder = tmp_path_factory.mktemp("bots")
    (folder / "mine.toml").write_text(PROFILE, encoding="utf-8")
    return write_bot(folder / "policy.npz", str(folder / "mine.toml"))


def player(policy: SavedPolicy) -> SavedPlayer:
    return SavedPlayer(policy, TEAMS, ARENAS, [5], deterministic=True)


def test_it_plays_the_cars_that_it_is_given_from_step_to_step_as_it_plays_all(policy: SavedPolicy) -> None:
    every, some, rng = player(policy), player(policy), np.random.default_rng(1)
    everywhere = np.ones(ARENAS, np.bool_)
    for step in range(4):
        state = random_state(rng, ARENAS, *TEAMS)
        for one in (every, some):
            if not step:
                one.begin(state, everywhere)
        who = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]) == 1
        seats = np.nonzero(who)
        rows, expected = some.act(state, seats), every.act(state, (slice(None), slice(None)))
        assert rows.shape == state.on_ground[seats].shape
        np.testing.assert_array_equal(rows, expected[seats])
        assert expected.max() < len(every.controls)


def test_what_was_before_an_episode_is_forgotten(policy: SavedPolicy) -> None:
    rng = np.random.default_rng(2)
    states = [random_state(rng, ARENAS, *TEAMS) for _ in range(3)]
    old, new, everything = player(policy), player(policy), (slice(None), slice(None))
    for state in states[:2]:
        old.act(state, everything)
    for one in (old, new):
        one.begin(states[2], np.ones(ARENAS, np.bool_))
    np.testing.assert_array_equal(old.act(states[2], everything), new.act(states[2], everything))


def test_team_sizes_that_it_cannot_see_are_refused(policy: SavedPolicy) -> None:
    with pytest.raises(RltuiError, match="in 3v3"):
        SavedPlayer(policy, (3, 3), 1, [0])
