"""The shipped tables: their hashes never change, since checkpoints carry them; `rlgym` is RLGym's, row by row; what is in `hybrid`,
by hand: the products that its description names, and every named row.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from rlgym.rocket_league.action_parsers import LookupTableAction

from rltui.actions.shipped_tables import NAMED
from rltui.actions.table import table_hash
from rltui.field import CONTROLS
from rltui.registry import Component, build
from tests.fakes.tables import FULL_BOOST, IDLE
from tests.fakes.tables import JUMP as JUMP_ROW

ROWS = build("action table", Component("hybrid")).rows()
THROTTLE, STEER, PITCH, YAW, ROLL, JUMP, BOOST, HANDBRAKE = ROWS.T
FIVE, THREE, TWO = (-1, -0.5, 0, 0.5, 1), (-1, 0, 1), (0, 1)


def rows_of(*rows: tuple[float, ...]) -> set[tuple[float, ...]]:
    return {tuple(map(float, row)) for row in rows}


HAVE = rows_of(*ROWS.tolist())


@pytest.mark.parametrize(
    ("name", "count", "digest"),
    [
        ("rlgym", 90, "978d10058a85d52ac687dd5fe911620f55b4814d6cce9f2f95d1e66dcfd759e8"),
        ("hybrid", 221, "f692fec054927ed26c5f208974a7447086d2b27fa5b2997303f347ac372049bf"),
    ],
)
def test_rows_and_hash_stay(name: str, count: int, digest: str) -> None:
    rows = build("action table", Component(name)).rows()
    assert (rows.dtype, rows.shape, table_hash(rows)) == (np.float32, (count, 8), digest)


def test_rows_and_order_are_rlgyms() -> None:
    rows = build("action table", Component("rlgym")).rows()
    np.testing.assert_array_equal(rows, LookupTableAction.make_lookup_table())
    assert (IDLE, JUMP_ROW, FULL_BOOST) == (8, 56, 18)
    pressed = [{CONTROLS[i]: row[i] for i in np.flatnonzero(row)} for row in rows[[IDLE, JUMP_ROW, FULL_BOOST]]]
    assert pressed == [{}, {"jump": 1}, {"throttle": 1, "boost": 1}]


def test_no_row_stands_twice_and_steer_is_yaw() -> None:
    assert len(HAVE) == len(ROWS)
    np.testing.assert_array_equal(STEER, YAW)


def test_driving_rows_come_first() -> None:
    """3 × 5 × 2 without boost, and 5 × 2 with it at full throttle."""
    driving = rows_of(*((t, s, 0, s, 0, 0, 0, h) for t, s, h in product(THREE, FIVE, TWO)))
    boosting = rows_of(*((1, s, 0, s, 0, 0, 1, h) for s, h in product(FIVE, TWO)))
    assert (len(driving), len(boosting)) == (30, 10)
    assert rows_of(*ROWS[:30].tolist()) == driving
    assert rows_of(*ROWS[30:40].tolist()) == boosting


def test_flying_rows_follow() -> None:
    """5 × 5 × 3 × 2, of which the 10 without pitch and roll are driving rows."""
    flying = rows_of(*((b, s, p, s, r, 0, b, 0) for p, s, r, b in product(FIVE, FIVE, THREE, TWO)))
    assert len(flying) == 150 and flying <= HAVE
    assert rows_of(*ROWS[40:180].tolist()) == flying - rows_of(*ROWS[:40].tolist())


def test_jumping_rows_then_named_ones() -> None:
    jumping = rows_of(*((b, 0, p, 0, r, 1, b, 0) for p, r, b in product(FIVE, THREE, TWO)))
    assert rows_of(*ROWS[180:210].tolist()) == jumping
    assert rows_of(*ROWS[210:].tolist()) < rows_of(*NAMED.values())


def test_every_named_row_is_there() -> None:
    assert rows_of(*NAMED.values()) <= HAVE
    assert len(rows_of(*NAMED.values())) == len(NAMED) == 29


def test_what_a_bot_cannot_do_without(subtests: pytest.Subtests) -> None:
    for row in (
        (1, 0, 0, 0, 0, 0, 0, 0),  # full throttle
        (1, 0, 0, 0, 0, 0, 1, 0),  # … with boost
        (-1, 0, 0, 0, 0, 0, 0, 0),  # reverse
        (1, -1, 0, -1, 0, 0, 0, 1),  # handbrake turn
        (0, 0, -1, 0, 0, 1, 0, 0),  # forward flip
        (1, 0, -1, 0, 1, 1, 1, 0),  # speed flip: diagonal, boosting
    ):
        with subtests.test(row=row):
            assert rows_of(row) <= HAVE


def test_boost_and_jump_leave_a_choice_of_everything_else() -> None:
    for column, values in ((PITCH, FIVE), (YAW, FIVE), (ROLL, THREE)):
        assert set(column[BOOST == 1]) == set(values)
    assert set(THROTTLE[BOOST == 1]) == {1.0}
    assert set(PITCH[JUMP == 1]) == set(FIVE)
    assert set(HANDBRAKE[(JUMP == 1) & (THROTTLE == 1) & (BOOST == 0)]) == {1.0}  # wavedash pops alone
