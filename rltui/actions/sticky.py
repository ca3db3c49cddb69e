"""StickyButtons: a button that was pressed stays down for at least so many steps, whatever is chosen next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from rltui.sim.state import Bool, Float, Int


class StickyButtons:
    """For K arenas with A cars. The table is followed by its own variants with buttons held down, so that what is played
    is still a row number.
    """

    def __init__(self, rows: Float, columns: Sequence[int], steps: int, shape: tuple[int, int]) -> None:
        """rows: float32 [N, 8]; columns: of the sticky buttons; steps: at least 2; shape: (K, A)."""
        sticky = list(columns)
        n, count = len(rows), len(sticky)
        variants = np.tile(rows, (2**count, 1, 1))
        for variant, held in zip(variants, product((False, True), repeat=count), strict=True):
            variant[:, np.array(sticky)[list(held)]] = 1.0
        self.variants: Float = variants.reshape(-1, rows.shape[1])  # [2^buttons · N, 8]
        self._pressed: Bool = np.ascontiguousarray(rows[:, sticky].T != 0)  # [buttons, N]
        self._offsets = n * 2 ** np.arange(count)[::-1, None, None]  # of the variants in which a button is held
        self._steps = steps
        self._left: Int = np.zeros((count, *shape), np.int64)  # steps that a button must stay down yet
        self._down: Bool = np.zeros((count, *shape), np.bool_)  # at the last step

    def reset(self, arenas: Bool) -> None:
        """Let go of everything in these arenas (mask [K])."""
        self._left[:, arenas] = 0
        self._down[:, arenas] = False

    def hold(self, rows: Int) -> Int:
        """Rows of the table [K, A] → rows of `variants` [K, A]; one step passes."""
        pressed = self._pressed.take(rows, axis=1)
        held = self._left > 0
        new = pressed & ~self._down
        np.logical_or(pressed, held, out=self._down)
        self._left -= held
        self._left[new] = self._steps - 1
        played: Int = rows + (self._offsets * held).sum(axis=0)
        return played
