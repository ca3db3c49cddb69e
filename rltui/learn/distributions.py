"""Distributions of actions in torch, by kind of action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from rltui.actions.spec import ActionSpec
from rltui.policy.distributions import ILLEGAL, Distribution

LEAST = 1e-10  # of the exponential variates: keeps the noise within −4 … 23

Maker = Callable[[Tensor, Tensor | None], Distribution[Tensor]]


class TorchCategorical:
    """Of rows of a table, by logits [N, n]. legal: bool [N, n], what may be chosen in each row; None: everything.

    No clamp is needed: log-softmax is finite for finite logits (rlgym-ppo clamps probabilities at 1e-11, and so
    log-probabilities at −25.3).
    """

    def __init__(self, logits: Tensor, legal: Tensor | None = None) -> None:
        if legal is not None:
            logits = logits.masked_fill(~legal, float(ILLEGAL))  # finite, so that gradients are
        self._logits = logits
        self._entropy: Tensor | None = None
        self._log_probs: Tensor
        if logits.requires_grad:
            self._log_probs, self._entropy = _LogSoftmax.apply(logits)  # type: ignore[no-untyped-call]
        else:
            self._log_probs = torch.log_softmax(logits, dim=-1)

    def sample(self, noise: Tensor) -> Tensor:
        """int64 [N], by Gumbel noise [N, n]."""
        return (self._logits + noise).argmax(dim=-1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Of int64 [N], each legal in its row."""
        return self._log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """At most ln of how many rows are legal."""
        if self._entropy is None:
            self._entropy = torch.linalg.vecdot(self._log_probs.exp(), self._log_probs).neg()
        return self._entropy


class _LogSoftmax(torch.autograd.Function):
    """l = ln π [N, n] and the entropy H = −Σ π l [N], with their gradient by hand: no exponential is worked out again.

    ∂l_i / ∂z_j = [i = j] − π_j,  ∂H / ∂z_j = −π_j (l_j + H).
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor) -> tuple[Tensor, Tensor]:
        log_probs = torch.log_softmax(logits, dim=-1)
        probs = log_probs.exp()
        entropy = -torch.linalg.vecdot(probs, log_probs)
        ctx.save_for_backward(log_probs, probs, entropy)
        return log_probs, entropy

    @staticmethod
    def backward(ctx: Any, of_log_probs: Tensor, of_entropy: Tensor) -> Tensor:
        log_probs, probs, entropy = ctx.saved_tensors
        part: Tensor = (log_probs + entropy.unsqueeze(-1)).mul_(of_entropy.unsqueeze(-1))
        part.add_(of_log_probs.sum(dim=-1, keepdim=True)).mul_(probs)
        return part.neg_().add_(of_log_probs)


def gumbel(like: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Standard Gumbel noise, a new tensor like this one: −log E with E standard exponential."""
    return torch.empty_like(like).exponential_(generator=generator).clamp_min_(LEAST).log_().neg_()


def distribution(spec: ActionSpec) -> Maker:
    """What makes the distribution of this kind of action, from a net's outputs and what is legal."""
    makers: dict[str, Maker] = {ActionSpec.kind: TorchCategorical}
    return makers[spec.kind]
