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
    """Sums over an update. Per-row figures stay tensors until a step ends, so that a GPU is not waited for."""

    def __init__(self, device: torch.device) -> None:
        self._open = torch.zeros(len(_BY_ROW), dtype=torch.float64, device=device)
        self._sums = [0.0] * len(_BY_ROW)
        self._norms = [0.0, 0.0]
        self._rows = 0
        self.steps = 0

    def add(self, rows: int, figures: tuple[Tensor, ...]) -> None:
        """A minibatch's means, in the order of policy loss, critic loss, entropy, approximate KL, clip fraction."""
        self._open += torch.stack(figures).detach() * rows
        self._rows += rows

    def close_step(self, norms: tuple[Tensor, Tensor], place: str) -> None:
        """Before an optimiser step: gradient norms of policy and critic. Raises NonFiniteError naming loss or gradient."""
        *sums, policy, critic = torch.cat([self._open, torch.stack(norms).to(self._open)]).tolist()
        found = {"policy loss": sums[0], "critic loss": sums[1], "policy gradient": policy, "critic gradient": critic}
        for name, value in found.items():
            if not math.isfinite(value):
                raise NonFiniteError(f"{name} is {value} ({place})")
        self._open.zero_()
        self._sums = [total + new for total, new in zip(self._sums, sums, strict=True)]
        self._norms = [self._norms[0] + policy, self._norms[1] + critic]
        self.steps += 1

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
