"""Fallback: an illegal choice becomes a row that can be played, and is counted."""

from __future__ import annotations

import numpy as np

from rltui.actions.legality import class_ids, legal_rows
from rltui.sim.state import Bool, Float, GameState, Int
from rltui.sim.turtled import UPSIDE_DOWN


class Fallback:
    """For K arenas with A cars that the policy plays."""

    def __init__(self, rows: Float, fallback_row: int, recovery_row: int, shape: tuple[int, int]) -> None:
        """rows: float32 [N, 8]; recovery_row: played by a car on its roof; shape: (K, A)."""
        self._legal = legal_rows(rows)
        self._fallback, self._recovery = fallback_row, recovery_row
        self._cars = slice(shape[1])
        self._classes = np.zeros(shape, np.uint8)
        self.count = 0  # choices replaced so far

    def replace(self, actions: Int, state: GameState) -> Int:
        """Rows of the table [K, A], the illegal ones replaced; `state` is what they were chosen in."""
        class_ids(state, self._cars, self._classes)
        legal: Bool = self._legal[self._classes, actions]
        illegal = legal.size - np.count_nonzero(legal)
        if not illegal:
            return actions
        self.count += illegal
        instead = np.where(self._on_roof(state), self._recovery, self._fallback)
        return np.where(legal, actions, instead)

    def _on_roof(self, state: GameState) -> Bool:
        """[K, A] turtled, as far as it can be told without `state.contacts`, which are costly to read."""
        cars = self._cars
        on_body: Bool = state.world_contact[:, cars] & ~state.on_ground[:, cars]
        return on_body & (state.up[:, cars, 2] < UPSIDE_DOWN)
