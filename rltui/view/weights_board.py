"""WeightsBoard: the newest weights in shared memory, for whoever plays them while they are learned. One writes, others read.

A sequence lock: the version is odd while a write is under way, and a reader that sees it change throws its copy away.
"""

from __future__ import annotations

import contextlib

import numpy as np
from numpy.typing import NDArray

from rltui.supervise.shared_block import SharedBlock
from rltui.supervise.shared_room import check_free

Weights = NDArray[np.float32]
HEADER = 2  # int64: version, timesteps


class WeightsBoard:
    """`parameters` float32 numbers and the timesteps after which they were written."""

    def __init__(self, memory: SharedBlock, parameters: int) -> None:
        """memory: what the writer has, or what a reader was handed of it."""
        self.memory = memory
        self._header: NDArray[np.int64] = np.ndarray((HEADER,), np.int64, memory.buf)
        self._weights: Weights = np.ndarray((parameters,), np.float32, memory.buf, HEADER * 8)

    @classmethod
    def create(cls, parameters: int) -> WeightsBoard:
        """RltuiError where shared memory has no room for it, OSError where the system gives none."""
        needed = HEADER * 8 + parameters * 4
        check_free(needed, "the viewer needs", "enlarge /dev/shm (docker: --shm-size=2g)")
        return cls(SharedBlock.create(needed), parameters)

    @property
    def version(self) -> int:
        """Changes with every write; 0 before the first."""
        return int(self._header[0])

    def write(self, weights: Weights, timesteps: int) -> None:
        """Put these in the place of those before."""
        self._header[0] += 1
        self._weights[:] = weights
        self._header[1] = timesteps
        self._header[0] += 1

    def read(self) -> tuple[int, int, Weights] | None:
        """(version, timesteps, a copy of the weights); None before the first write and while one is under way."""
        version = self.version
        if version == 0 or version % 2:
            return None
        weights, timesteps = self._weights.copy(), int(self._header[1])
        return (version, timesteps, weights) if self.version == version else None

    def close(self) -> None:
        """Let go of the memory. A second time nothing happens."""
        for array in ("_header", "_weights"):
            self.__dict__.pop(array, None)
        with contextlib.suppress(BufferError):
            self.memory.close()
