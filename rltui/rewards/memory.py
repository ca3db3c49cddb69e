"""Memory: what a reward keeps from step to step, for each arena, or for each car of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rltui.sim.state import Bool


class Memory:
    """An array of its own, [K] or [K, …]; the states that it is fed from are overwritten by the simulator."""

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self._dtype = dtype
        self._values: NDArray[Any] | None = None

    @property
    def values(self) -> NDArray[Any]:
        """To be read and changed in place. RuntimeError before the first `begin`."""
        if self._values is None:
            raise RuntimeError("reset comes before the first step")
        return self._values

    def begin(self, arenas: Bool, values: NDArray[Any]) -> None:
        """New episodes in these arenas (mask [K]): remember their rows of `values`, and the others' as they were."""
        if self._values is None or self._values.shape != values.shape:
            self._values = np.array(values, self._dtype)
        else:
            self._values[arenas] = values[arenas]
