"""The tables `rlgym` and `hybrid` never change, since checkpoints carry their hash; `rlgym` is RLGym's, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from rlgym.rocket_league.action_parsers import LookupTableAction

from rltui.actions.table import table_hash
from rltui.field import CONTROLS
from rltui.registry import Component, build
from tests.fakes.tables import FULL_BOOST, IDLE, JUMP


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
    assert (IDLE, JUMP, FULL_BOOST) == (8, 56, 18)
    pressed = [{CONTROLS[i]: row[i] for i in np.flatnonzero(row)} for row in rows[[IDLE, JUMP, FULL_BOOST]]]
    assert pressed == [{}, {"jump": 1}, {"throttle": 1, "boost": 1}]
