"""UpdateReport, and sums of metrics over minibatches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rltui.events import metric_keys
from rltui.learn.rollout import NonFiniteError

_BY_ROW = ("policy loss", "critic loss", "entropy", "approx_kl", "clip_fraction")


@dataclass(frozen=True)
class UpdateReport:
    """What an update did. A figure that is not known is left out of `metrics`."""

    metrics: dict[str, float] = field(default_factory=dict)  # train/…, keys of events/metrics.py
    dropped: str | None = None  # the source of a non-finite number: the update was undone
    notes: tuple[str, ...] = ()  # what a user should know, in words
    rows: int = 0  # timesteps learned from, earlier iterations' in the buffer included
    steps: int = 0  # optimiser steps


class Totals:
    """Sums over an update. All figures stay tensors until its end, so that a GPU is not waited for."""

    def __init__(self, device: torch.device) -> None:
        self._zeros = torch.zeros(len(_BY_ROW), dtype=torch.float64, device=device)
        self._open = self._zeros.clone()
        self._steps: list[Tensor] = []  # float64 [7] each: sums by row, norms
        self._places: list[str] = []
        self._sums = [0.0] * len(_BY_ROW)
        self._norms = [0.0, 0.0]
        self._rows = 0

    @property
    def steps(self) -> int:
        """Closed so far."""
        return len(self._steps)

    def add(self, rows: int, figures: tuple[Tensor, ...]) -> None:
        """A minibatch's means, in the order of policy loss, critic loss, entropy, approximate KL, clip fraction."""
        self._open += torch.stack(figures).detach() * rows
        self._rows += rows

    def close_step(self, norms: tuple[Tensor, Tensor], place: str) -> None:
        """With an optimiser step: gradient norms of policy and critic."""
        self._steps.append(torch.cat([self._open, torch.stack(norms).to(self._open)]))
        self._places.append(place)
        self._open = self._zeros.clone()

    def settle(self) -> None:
        """After the last step: wait for the device. Raises NonFiniteError naming the first loss or gradient that is not."""
        for (*sums, policy, critic), place in zip(torch.stack(self._steps).tolist(), self._places, strict=True):
            found = {"policy loss": sums[0], "critic loss": sums[1]}
            found |= {"policy gradient": policy, "critic gradient": critic}
            for name, value in found.items():
                if not math.isfinite(value):
                    raise NonFiniteError(f"{name} is {value} ({place})")
            self._sums = [total + new for total, new in zip(self._sums, sums, strict=True)]
            self._norms = [self._norms[0] + policy, self._norms[1] + critic]

    def metrics(self) -> dict[str, float]:
        """Means over all rows of all epochs, and over the optimiser steps; PPOLearner._report adds figures of the whole update."""
        mean = {name: total / self._rows for name, total in zip(_BY_ROW, self._sums, strict=True)}
        return {
            metric_keys.ENTROPY: mean["entropy"],
            metric_keys.APPROX_KL: mean["approx_kl"],
            metric_keys.CLIP_FRACTION: mean["clip_fraction"],
            metric_keys.VALUE_LOSS: mean["critic loss"],
            metric_keys.POLICY_GRAD_NORM: self._norms[0] / self.steps,
            metric_keys.CRITIC_GRAD_NORM: self._norms[1] / self.steps,
        }
