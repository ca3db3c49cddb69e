"""Log-probabilities and entropy of masked categorical distributions."""

from __future__ import annotations

import torch
from torch import Tensor

from rltui.policy.mlp import ILLEGAL


def evaluate(logits: Tensor, actions: Tensor, legal: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """ln π(a|s) and the entropy −Σ π ln π in nats, both [N], from logits [N, n] and actions int64 [N].

    legal: bool [N, n], what may be chosen in each row, the action itself too; π and its entropy are over that alone, at
    most ln of how many. None: everything.

    No clamp is needed: log-softmax is finite for finite logits (rlgym-ppo clamps probabilities at 1e-11, and so
    log-probabilities at −25.3).
    """
    if legal is not None:
        logits = logits.masked_fill(~legal, float(ILLEGAL))  # finite, so that gradients are
    log_probs = torch.log_softmax(logits, dim=-1)
    chosen = log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
    entropy = -(log_probs.exp() * log_probs).sum(dim=-1)
    return chosen, entropy
