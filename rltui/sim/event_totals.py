"""EventTotals: what each car did, added up where it happens, so that reports need not look at every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rltui.sim.state import Int


@dataclass(frozen=True)
class EventTotals:
    """Of all episodes since the last `clear`, each array [K, C]."""

    touches: Int  # steps with a touch
    shots: Int
    saves: Int
    demos: Int  # of others
    boost_received: NDArray[np.float64]  # from pads, and by respawning, which may take some away

    @classmethod
    def zeros(cls, arenas: int, cars: int) -> EventTotals:
        """Nothing has happened."""
        touches, shots, saves, demos = np.zeros((4, arenas, cars), np.int64)
        return cls(touches, shots, saves, demos, np.zeros((arenas, cars)))

    def clear(self) -> None:
        """Begin at 0."""
        for array in (self.touches, self.shots, self.saves, self.demos, self.boost_received):
            array.fill(0)
