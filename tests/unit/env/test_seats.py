"""Who plays which car of which arena, against one arena at a time."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.actions.masking import class_ids
from rltui.env.observer import ALL, Observer
from rltui.env.seats import LEARNER, Opponents, Seating
from rltui.opponents.base import ScriptedPlayer
from rltui.registry import Component, build
from rltui.sim.state import GameState, Int, Seats
from tests.fakes.game_states import random_state

SIDES = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]])  # the learner has two of four cars
UNEVEN = np.array([[0, 0, 0, 1], [2, 0, 2, 0], [0, 0, 0, 0], [1, 2, 2, 2]])


class ByPlace(ScriptedPlayer):
    """Its row says which car of which arena it plays."""

    def rows(self) -> np.ndarray:
        return np.zeros((40, 8), np.float32)

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        return np.arange(16).reshape(4, 4)[seats]


def test_seats_are_slices_where_arenas_are_alike_and_places_where_not() -> None:
    for arena, one, expected in (
        ((0, 0), LEARNER, slice(0, 2)),
        ((0, 0, 1), 1, slice(2, 3)),
        ((0, 0), 1, slice(0, 0)),
    ):
        assert Seating.alike(arena, 3).of(one) == (slice(None), expected)
    values = np.random.default_rng(0).random((4, 4, 3))
    for who in (SIDES, UNEVEN, np.tile([0, 1, 0, 1], (4, 1))):
        for one in range(3):
            found = values[Seating(who).of(one)]
            np.testing.assert_array_equal(found.reshape(-1, 3), values[who == one])
    assert values[Seating(SIDES).of(1)].shape == (4, 2, 3)


def test_everybody_plays_in_his_own_seats() -> None:
    players = [ByPlace(ScriptedPlayer.Params()), ByPlace(ScriptedPlayer.Params())]
    seating = Seating(UNEVEN)
    opponents = Opponents(players, seating, 90, [0])
    assert len(opponents.after(np.zeros((90, 8), np.float32))) == 90 + 40 + 40
    state = random_state(np.random.default_rng(0), 4, 2, 2)
    played = np.arange(60, 60 + (UNEVEN == LEARNER).sum())
    rows = opponents.join(played, state)
    places, mine = np.arange(16).reshape(4, 4), iter(played.tolist())
    for arena, car in np.ndindex(4, 4):
        who = UNEVEN[arena, car]
        expected = next(mine) if who == LEARNER else 90 + 40 * (who - 1) + places[arena, car]
        assert rows[arena, car] == expected
    mirror = Opponents([], Seating.alike((0, 0), 4), 90, [0])
    assert mirror.join(played, state) is played


def test_players_are_the_same_by_place_as_by_slice(subtests: pytest.Subtests) -> None:
    state = random_state(np.random.default_rng(1), 4, 2, 2)
    for name in ("idle", "chaser", "random"):
        with subtests.test(name=name):
            player = build("player", Component(name))
            for who in (SIDES, UNEVEN):
                chosen = player.act(state, seats := Seating(who).of(1), np.random.default_rng(2))
                assert chosen.shape == state.on_ground[seats].shape
                if name != "random":
                    every = player.act(state, np.s_[:, :], np.random.default_rng(2))
                    np.testing.assert_array_equal(chosen, every[seats])


def test_observations_and_classes_are_those_of_the_learners_seats() -> None:
    state = random_state(np.random.default_rng(3), 4, 2, 2)
    seats = Seating(SIDES).of(LEARNER)
    every, some = (Observer(build("obs", Component("default")), 2, 4, (2, 2), where) for where in (ALL, seats))
    all_rows, rows = np.zeros((4, 4, every.size), np.float32), np.zeros((4, 2, some.size), np.float32)
    for observer, out in ((every, all_rows), (some, rows)):
        observer.reset(state, np.ones(4, np.bool_))
        observer.write(state, out)
        observer.advance(out)
        observer.write(random_state(np.random.default_rng(4), 4, 2, 2), out)
    np.testing.assert_array_equal(rows, all_rows[seats])
    all_classes, classes = np.zeros((4, 4), np.uint8), np.zeros((4, 2), np.uint8)
    class_ids(state, ALL, all_classes)
    class_ids(state, seats, classes)
    np.testing.assert_array_equal(classes, all_classes[seats])
