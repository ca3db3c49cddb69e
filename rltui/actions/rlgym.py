"""`rlgym`: the 90 rows of RLGym's LookupTableAction."""

from __future__ import annotations

from itertools import product

import numpy as np

from rltui.actions.table import ActionTable
from rltui.sim.state import Float

Row = tuple[int, int, int, int, int, int, int, int]


class RlgymTable(ActionTable):
    """24 rows for driving, then 66 for flying; steer and yaw are one control."""

    def rows(self) -> Float:
        return np.array(_ground() + _air(), dtype=np.float32)


def _ground() -> list[Row]:
    """Throttle × steer × boost × handbrake; boost only with full throttle."""
    return [
        (throttle, steer, 0, steer, 0, 0, boost, handbrake)
        for throttle, steer, boost, handbrake in product((-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1))
        if throttle == 1 or not boost
    ]


def _air() -> list[Row]:
    """Pitch × yaw × roll × jump × boost; a jump never yaws (roll serves for side flips), and rows that `_ground` has
    are left out. Jumps that turn hold the handbrake, for wavedashes.
    """
    return [
        (boost, yaw, pitch, yaw, roll, jump, boost, int(jump == 1 and (pitch != 0 or roll != 0)))
        for pitch, yaw, roll, jump, boost in product((-1, 0, 1), (-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1))
        if not (jump and yaw) and (pitch or roll or jump)
    ]
