"""Legality: classes against a slow twin that looks at one car at a time, and the rules one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.actions.masking import CLASSES, class_ids, idle_row, idle_rows, legal_rows
from rltui.errors import RltuiError
from rltui.registry import Component, build
from rltui.sim.state import GameState
from tests.fakes.game_states import random_state

TABLES = {name: build("action table", Component(name)).rows() for name in ("rlgym", "hybrid")}
EVERYONE = np.s_[:, :]


def slow_legal(state: GameState, arena: int, car: int, row: np.ndarray) -> bool:
    """The rules as the specification has them, for one row."""
    at = (arena, car)
    if not row.any():
        return True
    if state.demo_respawn_timer[at] > 0:
        return False
    can_jump = state.on_ground[at] or state.is_jumping[at] or state.can_flip[at]
    if row[5] and not (can_jump or state.world_contact[at]):
        return False
    return not (row[6] and state.boost[at] == 0)


def test_classes_and_rows_are_those_of_the_slow_twin(subtests: pytest.Subtests) -> None:
    for seed in range(5):
        for table in TABLES:
            with subtests.test(seed=seed, table=table):
                rng = np.random.default_rng(seed)
                state = random_state(rng, 40, 2, 1)
                state.boost[rng.random(state.boost.shape) < 0.3] = 0
                state.demo_respawn_timer[rng.random(state.boost.shape) < 0.7] = 0
                found = np.empty((40, 3), np.uint8)
                class_ids(state, EVERYONE, found)
                legal = legal_rows(TABLES[table])[found]
                expected = [
                    [[slow_legal(state, arena, car, row) for row in TABLES[table]] for car in range(3)]
                    for arena in range(40)
                ]
                np.testing.assert_array_equal(legal, expected)
                assert len(np.unique(found)) >= 5  # enough of them, so that the test can fail


def test_the_learners_cars_alone() -> None:
    state = random_state(np.random.default_rng(0), 8, 2, 2)
    every, some = np.empty((8, 4), np.uint8), np.empty((8, 2), np.uint8)
    class_ids(state, EVERYONE, every)
    class_ids(state, np.s_[:, :2], some)
    np.testing.assert_array_equal(some, every[:, :2])


def car(**flags: Any) -> np.ndarray:
    """The class id of one car, in the air with nothing left, but for these."""
    state = random_state(np.random.default_rng(0), 1, 1, 0)
    plain = dict.fromkeys(("on_ground", "is_jumping", "can_flip", "world_contact"), False)
    for name, value in {**plain, "demo_respawn_timer": 0.0, "boost": 0.0, **flags}.items():
        getattr(state, name)[...] = value
    found = np.empty((1, 1), np.uint8)
    class_ids(state, EVERYONE, found)
    return found[0, 0]


def test_each_reason_to_jump_is_enough(subtests: pytest.Subtests) -> None:
    """On its roof, with the flip used, a jump press is what rights a car."""
    for flag in ("on_ground", "is_jumping", "can_flip", "world_contact"):
        with subtests.test(flag=flag):
            jumps = TABLES["hybrid"][:, 5] != 0
            without, with_it = legal_rows(TABLES["hybrid"])[[car(boost=50.0), car(boost=50.0, **{flag: True})]]
            assert not without[jumps].any() and without[~jumps].all()
            assert with_it.all()


def test_boost_needs_boost() -> None:
    boosts = TABLES["hybrid"][:, 6] != 0
    without, with_it = legal_rows(TABLES["hybrid"])[[car(on_ground=True), car(on_ground=True, boost=0.01)]]
    assert not without[boosts].any() and without[~boosts].all()
    assert with_it.all()


def test_a_demolished_car_may_only_idle() -> None:
    rows = TABLES["hybrid"]
    wreck = car(demo_respawn_timer=1.5, on_ground=True, boost=100.0, can_flip=True)
    assert np.flatnonzero(legal_rows(rows)[wreck]).tolist() == [idle_row(rows)]


def test_driving_is_never_forbidden(subtests: pytest.Subtests) -> None:
    """With linked steer and yaw every turning row looks like air torque; on the ground all of them must stay."""
    for table in TABLES:
        for boost in (0.0, 30.0):
            with subtests.test(table=table, boost=boost):
                rows = TABLES[table]
                on_ground = legal_rows(rows)[car(on_ground=True, boost=boost)]
                turning = rows[:, 1] != 0
                needs_boost = (rows[:, 6] != 0) & (boost == 0)
                assert on_ground[turning & ~needs_boost].all()
                assert on_ground[(rows[:, 0] != 0) & ~needs_boost].all()
                turned = rows[on_ground][:, 1]
                assert {-1.0, 1.0} <= set(turned.tolist())


def test_idle_is_legal_in_every_class(subtests: pytest.Subtests) -> None:
    for table in TABLES:
        with subtests.test(table=table):
            masks = legal_rows(TABLES[table])
            assert masks.shape == (CLASSES, len(TABLES[table]))
            assert masks[:, idle_rows(TABLES[table])].all()


def test_a_table_without_an_idle_row() -> None:
    with pytest.raises(RltuiError, match="no idle row"):
        idle_row(np.ones((3, 8), np.float32))
