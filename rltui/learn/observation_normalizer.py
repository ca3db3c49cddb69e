"""ObservationNormalizer: what the networks are shown of an observation, by one frozen version of its statistics."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rltui.learn.observation_statistics import ObservationStatistics
from rltui.policy.normalizer import CLIP, normalizer_flat

Float = NDArray[np.float32]


class ObservationNormalizer:
    """clip((obs − mean) / deviation, ± CLIP), number by number: what `policy.normalizer` does in NumPy.

    Policy and critic see the same. `statistics` changes only between an update and the next rollout.
    """

    def __init__(self, size: int, device: str) -> None:
        """size: numbers of an observation."""
        self._device = device
        self.use(ObservationStatistics.nothing_seen(size))

    def use(self, statistics: ObservationStatistics) -> None:
        """Normalise by these from now on."""
        self.statistics = statistics
        self.flat: Float = normalizer_flat(*statistics.frozen())  # for the workers
        self._mean, self._factor = torch.from_numpy(self.flat).reshape(2, -1).to(self._device)

    def take_in(self, obs: Float) -> None:
        """Add a rollout's observations [W, T + 1, A, D]; its last row begins the next rollout and counts there."""
        statistics = self.statistics
        for worker in obs:
            statistics = statistics.with_rows(worker[:-1].reshape(-1, obs.shape[-1]))
        self.use(statistics)

    def __call__(self, obs: Tensor) -> Tensor:
        """Observations [N, D] as the networks see them."""
        seen: Tensor = (obs - self._mean) * self._factor
        return seen.clamp_(-CLIP, CLIP)
