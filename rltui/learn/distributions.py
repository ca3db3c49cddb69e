"""Distributions of actions in torch, by kind of action."""

from __future__ import annotations

from collections.abc import Callable

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
        self._logits, self._log_probs = logits, torch.log_softmax(logits, dim=-1)

    def sample(self, noise: Tensor) -> Tensor:
        """int64 [N], by Gumbel noise [N, n]."""
        return (self._logits + noise).argmax(dim=-1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Of int64 [N], each legal in its row."""
        return self._log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """At most ln of how many rows are legal."""
        return -(self._log_probs.exp() * self._log_probs).sum(dim=-1)


def gumbel(like: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Standard Gumbel noise, a new tensor like this one: −log E with E standard exponential."""
    return torch.empty_like(like).exponential_(generator=generator).clamp_min_(LEAST).log_().neg_()


def distribution(spec: ActionSpec) -> Maker:
    """What makes the distribution of this kind of action, from a net's outputs and what is legal."""
    makers: dict[str, Maker] = {ActionSpec.kind: TorchCategorical}
    return makers[spec.kind]
