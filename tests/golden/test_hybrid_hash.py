"""The `hybrid` table never changes: checkpoints carry its hash."""

from __future__ import annotations

import numpy as np

from rltui.actions.table import table_hash
from rltui.registry import Component, build

HASH = "f692fec054927ed26c5f208974a7447086d2b27fa5b2997303f347ac372049bf"


def test_hash_and_number_of_rows() -> None:
    rows = build("action table", Component("hybrid")).rows()
    assert (rows.dtype, rows.shape) == (np.float32, (221, 8))
    assert table_hash(rows) == HASH
