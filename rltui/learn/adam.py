"""Adam (Kingma and Ba 2015, arXiv:1412.6980): torch.optim.Adam with its defaults, the same bits and the same state dict.

Not torch's own, because making the first torch optimiser imports torch's compiler: 800 modules, 2 s and 70 MB.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

BETAS = (0.9, 0.999)
EPS = 1e-8


class Adam:
    """m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,  θ ← θ − lr · m̂ / (√v̂ + ε)."""

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        self.lr = lr
        self.steps = 0
        self._parameters = list(parameters)
        self._means = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]
        self._squares = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One step along the parameters' gradients."""
        self.steps += 1
        step_size = self.lr / (1 - BETAS[0] ** self.steps)
        correction = math.sqrt(1 - BETAS[1] ** self.steps)
        for parameter, mean, square in zip(self._parameters, self._means, self._squares, strict=True):
            assert parameter.grad is not None
            mean.lerp_(parameter.grad, 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(parameter.grad, parameter.grad, value=1 - BETAS[1])
            parameter.addcdiv_(mean, (square.sqrt() / correction).add_(EPS), value=-step_size)

    def tensors(self) -> list[Tensor]:
        """The moments: all that a step changes, apart from `steps` and the parameters."""
        return [*self._means, *self._squares]

    def state_dict(self) -> dict[str, Any]:
        """As torch.optim.Adam's, with copies of the moments; its state is empty before the first step."""
        state = {
            i: {"step": torch.tensor(float(self.steps)), "exp_avg": mean.clone(), "exp_avg_sq": square.clone()}
            for i, (mean, square) in enumerate(zip(self._means, self._squares, strict=True))
        }
        group = {"lr": self.lr, "betas": BETAS, "eps": EPS, "weight_decay": 0, "amsgrad": False, "maximize": False}
        group |= {"foreach": None, "capturable": False, "differentiable": False, "fused": None}
        group |= {"decoupled_weight_decay": False, "params": list(range(len(self._parameters)))}
        return {"state": state if self.steps else {}, "param_groups": [group]}

    def load(self, state: Mapping[int, Mapping[str, Tensor]]) -> None:
        """Take over the "state" of a state dict that fits; an empty one is that before the first step."""
        self.steps = int(state[0]["step"]) if state else 0
        for moment in self.tensors():
            moment.zero_()
        for i, moments in state.items():
            self._means[i].copy_(moments["exp_avg"])
            self._squares[i].copy_(moments["exp_avg_sq"])
