"""`random`: any of RLGym's 90 combinations of the controls, drawn anew at each step."""

from __future__ import annotations

import numpy as np

from rltui.actions.rlgym_table import RlgymTable
from rltui.league.scripted.player import ScriptedPlayer
from rltui.sim.state import Float, GameState, Int


class Random(ScriptedPlayer):
    """Presses buttons without a plan, as a bot does before it has learned anything."""

    def __init__(self, params: ScriptedPlayer.Params) -> None:
        super().__init__(params)
        self._rows = RlgymTable(RlgymTable.Params()).rows()

    def rows(self) -> Float:
        return self._rows

    def act(self, state: GameState, cars: slice, rng: np.random.Generator) -> Int:
        return rng.integers(len(self._rows), size=state.on_ground[:, cars].shape)
