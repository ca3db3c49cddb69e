"""Running mean and variance (Welford) of each number of an observation: what observations are normalised by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.learn.normalization import read_count, read_numbers

Float = NDArray[np.float32]
Double = NDArray[np.float64]

CHUNK = 2_048  # rows worked on at a time: as float64 they stay in the cache


@dataclass(frozen=True, eq=False)
class ObservationStatistics:
    """Over all timesteps learned from, in float64. An instance never changes, so one serves a rollout and its update.

    rlgym-ppo keeps the same and then scales all numbers by the first one's (`mean[0]`, `std[0]`); here each has its own.
    """

    mean: Double  # [D]
    squares: Double  # [D] sums of squared deviations from the mean
    count: int

    @classmethod
    def nothing_seen(cls, size: int) -> ObservationStatistics:
        """Before the first observation of so many numbers."""
        return cls(np.zeros(size), np.zeros(size), 0)

    def with_rows(self, rows: Float) -> ObservationStatistics:
        """With these finite observations [N, D] taken in (Chan et al.: two sets' means and squares combine)."""
        mean, squares, count = self.mean, self.squares, self.count
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK].astype(np.float64)
            n, total = len(part), count + len(part)
            part_mean = part.mean(axis=0)
            delta = part_mean - mean
            part -= part_mean
            squares = squares + np.square(part, out=part).sum(axis=0) + delta * delta * (count * n / total)
            mean, count = mean + delta * (n / total), total
        return ObservationStatistics(mean, squares, count)

    def frozen(self) -> tuple[Float, Float]:
        """Mean and variance (n − 1), as policies use and files hold them; 0 and 1 before two observations."""
        if self.count < 2:
            return np.zeros(len(self.mean), np.float32), np.ones(len(self.mean), np.float32)
        var = np.minimum(self.squares / (self.count - 1), np.finfo(np.float32).max)
        return self.mean.astype(np.float32), var.astype(np.float32)

    def to_json(self) -> dict[str, Any]:
        """In rlgym-ppo's shape; its "var" is the sum of squared deviations."""
        numbers = {"mean": self.mean.tolist(), "var": self.squares.tolist()}
        return numbers | {"shape": [len(self.mean)], "count": self.count}

    @classmethod
    def from_json(cls, data: object, size: int) -> ObservationStatistics:
        """Raises ValueError for anything but the statistics of observations of `size` numbers."""
        mean, squares = (np.array(read_numbers(data, key, size)) for key in ("mean", "var"))
        if squares.min() < 0:
            raise ValueError("expected var of at least 0")
        return cls(mean, squares, read_count(data))
