"""Action tables for tests: the registered ones, the naive product, and ways to spoil them."""

from __future__ import annotations

from itertools import product

import numpy as np

from rltui.actions.shipped_tables import HybridTable, RlgymTable
from rltui.field import CONTROLS
from rltui.sim.state import Bool, Float

RLGYM: Float = RlgymTable(RlgymTable.Params()).rows()
HYBRID: Float = HybridTable(HybridTable.Params()).rows()
IDLE, JUMP, FULL_BOOST = 8, 56, 18  # rows of it; the last: full throttle and boost, straight ahead
BINS = (-1.0, -0.5, 0.0, 0.5, 1.0)
WAYS = (-1.0, 0.0, 1.0)
BUTTON = (0.0, 1.0)


def naive() -> Float:
    """Everything with everything, steer and yaw linked: 1,800 rows."""
    parts = product(WAYS, BINS, BINS, WAYS, BUTTON, BUTTON, BUTTON)
    return np.array([(t, s, p, s, r, j, b, h) for t, s, p, r, j, b, h in parts], np.float32)


def column(rows: Float, name: str) -> Float:
    """A view of one control."""
    return rows[:, CONTROLS.index(name)]


def exchanged(rows: Float, one: str, other: str) -> Float:
    """With two columns in each other's place."""
    order = list(range(len(CONTROLS)))
    i, j = CONTROLS.index(one), CONTROLS.index(other)
    order[i], order[j] = j, i
    return np.ascontiguousarray(rows[:, order])


def without(rows: Float, which: Bool) -> Float:
    """The rows that are left; AssertionError when none was taken."""
    assert which.any()
    return rows[~which]


def changed(rows: Float, row: int, name: str, value: float) -> Float:
    """A copy with one cell written anew."""
    copy = rows.copy()
    column(copy, name)[row] = value
    return copy
