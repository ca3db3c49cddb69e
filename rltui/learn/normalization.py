"""Running statistics of returns and observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rltui.policy.weights import CLIP, normalizer_flat

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]
Double = NDArray[np.float64]
CHUNK = 2_048  # rows worked on at a time: as float64 they stay in the cache


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


@dataclass(frozen=True, eq=False)
class ObservationStatistics:
    """Over all timesteps learned from, in float64. An instance never changes, so one serves a rollout and its update.

    rlgym-ppo keeps the same and then scales all numbers by the first one's (`mean[0]`, `std[0]`); here each has its own.
    """

    mean: Double  # [D]
    squares: Double  # [D] sums of squared deviations from the mean
    count: int
    frozen: bool = False  # rlgym-ppo's, converted: other numbers would mean something else to the policy

    @classmethod
    def nothing_seen(cls, size: int) -> ObservationStatistics:
        """Before the first observation of so many numbers."""
        return cls(np.zeros(size), np.zeros(size), 0)

    def with_rows(self, rows: Float) -> ObservationStatistics:
        """With these finite observations [N, D] taken in (Chan et al.: two sets' means and squares combine)."""
        if self.frozen:
            return self
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

    def mean_and_variance(self) -> tuple[Float, Float]:
        """Mean and variance (n − 1), as policies use and files hold them; 0 and 1 before two observations."""
        if self.count < 2:
            return np.zeros(len(self.mean), np.float32), np.ones(len(self.mean), np.float32)
        var = np.minimum(self.squares / (self.count - 1), np.finfo(np.float32).max)
        return self.mean.astype(np.float32), var.astype(np.float32)

    def to_json(self) -> dict[str, Any]:
        """In rlgym-ppo's shape; its "var" is the sum of squared deviations."""
        numbers = {"mean": self.mean.tolist(), "var": self.squares.tolist()}
        return numbers | {"shape": [len(self.mean)], "count": self.count} | ({"frozen": True} if self.frozen else {})

    @classmethod
    def from_json(cls, data: object, size: int) -> ObservationStatistics:
        """Raises ValueError for anything but the statistics of observations of `size` numbers."""
        mean, squares = (np.array(read_numbers(data, key, size)) for key in ("mean", "var"))
        if squares.min() < 0:
            raise ValueError("expected var of at least 0")
        return cls(mean, squares, read_count(data), isinstance(data, dict) and data.get("frozen") is True)


class ObservationNormalizer:
    """clip((obs − mean) / deviation, ± CLIP), number by number: what `policy.weights.Normalizer` does in NumPy.

    Policy and critic see the same. `statistics` changes only between an update and the next rollout.
    """

    def __init__(self, size: int, device: str) -> None:
        """size: numbers of an observation."""
        self._device = device
        self.use(ObservationStatistics.nothing_seen(size))

    def use(self, statistics: ObservationStatistics) -> None:
        """Normalise by these from now on."""
        self.statistics = statistics
        self.flat: Float = normalizer_flat(*statistics.mean_and_variance())  # for the workers
        self._mean, self._factor = torch.from_numpy(self.flat).reshape(2, -1).to(self._device)

    def take_in(self, obs: Float, learn: Bool | None = None) -> None:
        """Add a rollout's observations [W, T + 1, A, D], or those where `learn` [W, T, A]; its last row begins the next rollout
        and counts there.
        """
        statistics = self.statistics
        for index, worker in enumerate(obs[:, :-1]):
            statistics = statistics.with_rows(
                worker.reshape(-1, obs.shape[-1]) if learn is None else worker[learn[index]]
            )
        self.use(statistics)

    def __call__(self, obs: Tensor) -> Tensor:
        """Observations [N, D] as the networks see them."""
        return normalized(obs, self._mean, self._factor)


def normalized(obs: Tensor, mean: Tensor, factor: Tensor) -> Tensor:
    """Observations [N, D] by a `normalizer_flat`'s halves."""
    seen: Tensor = (obs - mean) * factor
    return seen.clamp_(-CLIP, CLIP)
