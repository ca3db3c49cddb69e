"""Running mean and variance (Welford), for scaling rewards by the standard deviation of the returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class RunningStatistics:
    """Of one number, over everything seen. rlgym-ppo's WelfordRunningStat(1), in float64.

    rlgym-ppo feeds it the first 150 returns of an iteration, which are one or two trajectories of its first worker;
    here every return counts.
    """

    mean: float = 0.0
    squares: float = 0.0  # sum of squared deviations from the mean
    count: int = 0

    @property
    def std(self) -> float:
        """Standard deviation (n − 1); 1 with fewer than two samples or no variance, so that it can be divided by."""
        if self.count < 2 or self.squares <= 0:
            return 1.0
        return math.sqrt(self.squares / (self.count - 1))

    def update(self, samples: NDArray[np.float32]) -> None:
        """Add samples of any shape (Chan et al.: two sets' means and squares combine)."""
        n = samples.size
        if n == 0:
            return
        mean = float(samples.mean(dtype=np.float64))
        squares = float(np.square(samples - mean, dtype=np.float64).sum())
        delta, total = mean - self.mean, self.count + n
        self.squares += squares + delta * delta * self.count * n / total
        self.mean += delta * n / total
        self.count = total

    def to_json(self) -> dict[str, Any]:
        """In rlgym-ppo's shape; its "var" is the sum of squared deviations."""
        return {"mean": [self.mean], "var": [self.squares], "shape": [1], "count": self.count}

    @classmethod
    def from_json(cls, data: object) -> RunningStatistics:
        """Raises ValueError for anything but the statistics of one number."""
        if not isinstance(data, dict):
            raise ValueError(f"expected an object, found {type(data).__name__}")
        mean, squares = _one_number(data, "mean"), _one_number(data, "var")
        count = data.get("count")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0 or squares < 0:
            raise ValueError("expected count and var of at least 0")
        return cls(mean, squares, count)


def _one_number(data: dict[str, Any], key: str) -> float:
    value = data.get(key)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], int | float) and math.isfinite(value[0]):
        return float(value[0])
    raise ValueError(f"expected {key} to be a list of one finite number, found {value!r:.80}")
