"""ActionPipeline: from the row that a policy chose to what the simulator plays. Each stage is one array operation.

lookup → legality → sticky buttons → clip → repeat for `tick_skip` with the action delay (the last two are the simulator's).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rltui.sim.state import Bool, Float, GameState, Int

Classes = NDArray[np.uint8]


@dataclass(frozen=True)
class PipelineOptions:
    """legality: off, mask or fallback. Rows None: the table's idle row; sticky: steps that a pressed button stays down."""

    legality: str = "off"
    fallback_row: int | None = None
    recovery_row: int | None = None
    clip: bool = False
    sticky: int = 1
    sticky_buttons: tuple[str, ...] = ("jump", "boost", "handbrake")


class ActionPipeline:
    """For K arenas with A cars that the policy plays."""

    def __init__(self, rows: Float, options: PipelineOptions, arenas: int, cars: int) -> None:
        """rows: float32 [N, 8], the action table. RltuiError for rows or options that do not do."""
        self.controls: Float = (
            rows  # [M, 8] all that the simulator may be asked to play: the table first, then variants
        )
        self.masks: Bool | None = None  # [classes, N] legal rows of each legality class; None: nothing is masked
        self.fallbacks = 0  # choices replaced since the last reading

    def reset(self, arenas: Bool) -> None:
        """Forget what is held in these arenas (mask [K])."""

    def classify(self, state: GameState, out: Classes) -> None:
        """Write the legality class of each car now, uint8 [K, A]; with legality off nothing is written."""

    def play(self, actions: Int, state: GameState) -> Int:
        """Rows of `controls` int64 [K, A] for the chosen rows of the table [K, A]; `state` is what the policy saw.

        KeyError for a number that is no row.
        """
        return actions
