"""BoostSpent: boost that cars burn, from what they had, got and have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rltui.sim.state import Float, GameState, Int


class BoostSpent:
    """Adds up over the first C cars of K arenas. Settled only at the ends of episodes and reports: what is missing then, and
    was not lost by respawning, has been burnt.
    """

    def __init__(self, state: GameState, cars: int) -> None:
        """state: the one that every step is read into."""
        self._boost: Float = state.boost[:, :cars]
        self._had: Float = np.zeros_like(self._boost)
        self._missing = 0.0

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        self._had[arenas] = self._boost[arenas]

    def end(self, arenas: Int | slice) -> None:
        """Episodes of these arenas ended."""
        self._missing += float((self._had[arenas] - self._boost[arenas]).sum(dtype=np.float64))
        self._had[arenas] = self._boost[arenas]

    def drain(self, received: NDArray[np.float64]) -> float:
        """Boost since the last drain, 0–100 each. received: in that time, EventTotals.boost_received."""
        self.end(slice(None))
        spent, self._missing = self._missing + float(received.sum()), 0.0
        return spent
