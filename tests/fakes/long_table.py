"""The hybrid table ten times over: with sticky buttons more rows than are built at once."""

from __future__ import annotations

import numpy as np

from rltui.actions.shipped_tables import HybridTable
from rltui.sim.state import Float


def rows() -> Float:
    return np.tile(HybridTable(HybridTable.Params()).rows(), (10, 1))
