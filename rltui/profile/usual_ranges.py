"""Usual learning rates and entropy coefficients (no pydantic)."""

from __future__ import annotations

RATES = "cannot score yet: 2e-4; scoring: 1e-4; dribbles and flicks: 0.8e-4 or less"
LARGEST_RATE = 1e-3  # bold, and sometimes meant
LARGEST_ENTROPY = 0.1  # ten times the usual start, in nats


def rate_words(rate: float, phase: int | None) -> str:
    """Why this learning rate of the policy is doubtful, in the phase of this number if it has one; "" where it is not."""
    if rate == 0:
        return "the policy will not change"
    if rate > LARGEST_RATE:
        return "so high that learning rarely stays stable; a bot that cannot score yet wants about 2e-4"
    if phase is not None and phase >= 4 and rate > 0.8e-4:
        return f"high for phase {phase}; dribbles, flicks and aerials want 0.8e-4 or less"
    if phase == 3 and rate > 1e-4:
        return "high for phase 3; a bot that scores wants 1e-4"
    return ""


def entropy_words(ent_coef: float) -> str:
    """Why this entropy coefficient is doubtful; "" where it is not."""
    if ent_coef == 0:
        return "nothing is paid for trying other actions; 0.01 is the usual start"
    if ent_coef > LARGEST_ENTROPY:
        return "so high that acting at random pays more than the rewards; 0.01 is the usual start"
    return ""
