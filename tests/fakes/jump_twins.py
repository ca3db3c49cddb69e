"""The hybrid table, followed by each of its jump rows without the jump, in their order."""

from __future__ import annotations

import numpy as np

from rltui.actions.shipped_tables import HybridTable
from rltui.field import CONTROLS
from rltui.sim.state import Float


class JumpTwins(HybridTable):
    def rows(self) -> Float:
        rows, jump = super().rows(), CONTROLS.index("jump")
        twins = rows[rows[:, jump] != 0]
        twins[:, jump] = 0
        return np.concatenate([rows, twins])
