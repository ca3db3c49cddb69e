"""Adam (Kingma and Ba 2015, arXiv:1412.6980): torch.optim.Adam with its defaults and the same state dict.

Not torch's own, because making the first torch optimiser imports torch's compiler: 800 modules, 2 s and 70 MB. On a CPU
the same bits; on a GPU torch's fused kernel, called directly: one launch for all parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

BETAS = (0.9, 0.999)
EPS = 1e-8


class Adam:
    """m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,  θ ← θ − lr · m̂ / (√v̂ + ε)."""

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        self.lr = lr
        self._parameters = list(parameters)
        self._means = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]
        self._squares = [torch.zeros_like(p, requires_grad=False) for p in self._parameters]
        self._count = torch.zeros((), device=self._parameters[0].device)

    @property
    def steps(self) -> int:
        """Taken so far. Waits for a GPU."""
        return int(self._count)

    def zero_grad(self, *, keep: bool = False) -> None:
        """Forget the gradients. keep: as zeros in tensors that stay, since a CUDA graph's own are overwritten."""
        for parameter in self._parameters:
            parameter.grad = torch.zeros_like(parameter) if keep else None

    def gradients(self) -> list[Tensor]:
        """Of all parameters, once they have been worked out."""
        return [p.grad for p in self._parameters if p.grad is not None]

    @torch.no_grad()
    def step(self, skip: Tensor | None = None) -> None:
        """One step along the parameters' gradients. skip: a float on the device; 1 leaves everything as it is."""
        self._count += 1
        if self._count.device.type == "cpu" and skip is None:
            self._step_by_parameter()
            return
        torch._fused_adam_(
            self._parameters,
            self.gradients(),
            self._means,
            self._squares,
            [],
            [self._count] * len(self._parameters),
            lr=self.lr,
            beta1=BETAS[0],
            beta2=BETAS[1],
            weight_decay=0.0,
            eps=EPS,
            amsgrad=False,
            maximize=False,
            found_inf=skip,
        )
        if skip is not None:
            self._count -= skip

    def _step_by_parameter(self) -> None:
        step_size = self.lr / (1 - BETAS[0] ** self.steps)
        correction = math.sqrt(1 - BETAS[1] ** self.steps)
        for parameter, mean, square in zip(self._parameters, self._means, self._squares, strict=True):
            assert parameter.grad is not None
            mean.lerp_(parameter.grad, 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(parameter.grad, parameter.grad, value=1 - BETAS[1])
            parameter.addcdiv_(mean, (square.sqrt() / correction).add_(EPS), value=-step_size)

    def tensors(self) -> list[Tensor]:
        """The moments and the count of steps: all that a step changes, apart from the parameters."""
        return [*self._means, *self._squares, self._count]

    def state_dict(self, tensors: Sequence[Tensor] | None = None) -> dict[str, Any]:
        """As torch.optim.Adam's, with copies of the moments; its state is empty before the first step. tensors: what
        `tensors` gave at another time or was copied from it; None: those of now.
        """
        *moments, count = self.tensors() if tensors is None else tensors
        n, steps = len(self._parameters), int(count)
        state = {
            i: {"step": torch.tensor(float(steps)), "exp_avg": mean.clone(), "exp_avg_sq": square.clone()}
            for i, (mean, square) in enumerate(zip(moments[:n], moments[n:], strict=True))
        }
        group = {"lr": self.lr, "betas": BETAS, "eps": EPS, "weight_decay": 0, "amsgrad": False, "maximize": False}
        group |= {"foreach": None, "capturable": False, "differentiable": False, "fused": None}
        group |= {"decoupled_weight_decay": False, "params": list(range(n))}
        return {"state": state if steps else {}, "param_groups": [group]}

    def load(self, state: Mapping[int, Mapping[str, Tensor]]) -> None:
        """Take over the "state" of a state dict that fits; an empty one is that before the first step."""
        for tensor in self.tensors():
            tensor.zero_()
        if state:
            self._count.fill_(int(state[0]["step"]))
        for i, moments in state.items():
            self._means[i].copy_(moments["exp_avg"])
            self._squares[i].copy_(moments["exp_avg_sq"])
