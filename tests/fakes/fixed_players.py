"""A scripted player that never changes its mind."""

from __future__ import annotations

import numpy as np

from rltui.actions.shipped_tables import RlgymTable
from rltui.opponents.base import ScriptedPlayer
from rltui.sim.state import Float, GameState, Int, Seats


class RowZero(ScriptedPlayer):
    """Row 0 of the usual table, always."""

    def rows(self) -> Float:
        return RlgymTable(RlgymTable.Params()).rows()

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        return np.zeros(state.on_ground[seats].shape, np.int64)
