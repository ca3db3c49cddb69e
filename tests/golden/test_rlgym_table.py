"""The `rlgym` table is RLGym's, row by row, and its hash never changes: checkpoints carry it."""

from __future__ import annotations

import numpy as np
from rlgym.rocket_league.action_parsers import LookupTableAction

from rltui.actions.table import table_hash
from rltui.field import CONTROLS
from rltui.registry import Component, build
from tests.fakes.tables import FULL_BOOST, IDLE, JUMP

HASH = "978d10058a85d52ac687dd5fe911620f55b4814d6cce9f2f95d1e66dcfd759e8"


def test_rows_and_order_are_rlgyms() -> None:
    rows = build("action table", Component("rlgym")).rows()
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, LookupTableAction.make_lookup_table())


def test_hash() -> None:
    assert table_hash(build("action table", Component("rlgym")).rows()) == HASH


def test_known_rows() -> None:
    rows = build("action table", Component("rlgym")).rows()
    assert (IDLE, JUMP, FULL_BOOST) == (8, 56, 18)
    pressed = [{CONTROLS[i]: row[i] for i in np.flatnonzero(row)} for row in rows[[IDLE, JUMP, FULL_BOOST]]]
    assert pressed == [{}, {"jump": 1}, {"throttle": 1, "boost": 1}]
