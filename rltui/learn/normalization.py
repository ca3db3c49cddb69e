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
        (mean,), (squares,) = read_numbers(data, "mean", 1), read_numbers(data, "var", 1)
        if squares < 0:
            raise ValueError("expected var of at least 0")
        return cls(mean, squares, read_count(data))


def read_numbers(data: object, key: str, count: int) -> list[float]:
    """A list of so many numbers in a JSON object; ValueError for anything else."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, found {type(data).__name__}")
    value = data.get(key)
    finite = isinstance(value, list) and all(isinstance(x, int | float) and math.isfinite(x) for x in value)
    if not isinstance(value, list) or not finite or len(value) != count:
        found = f"{len(value)} of them" if isinstance(value, list) and finite else f"{value!r:.80}"
        raise ValueError(f"expected {key} to be a list of finite numbers, {count} in all, found {found}")
    return [float(x) for x in value]


def read_count(data: object) -> int:
    """How many samples a JSON object's statistics are of; ValueError for anything else."""
    count = data.get("count") if isinstance(data, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"expected count of at least 0, found {count!r:.80}")
    return count
