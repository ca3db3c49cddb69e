"""Weights that turn a reward's meaning round: a penalty that pays, or a reward that costs."""

from __future__ import annotations

from collections.abc import Iterable

from rltui.rewards.reward import Reward


def sign_warnings(components: Iterable[tuple[str, Reward, float]]) -> list[str]:
    """One sentence for each component (name, reward, weight) that works against its kind; none when all is well.

    A penalty is what its class calls one: `penalty`, category "penalties", or a value that is never positive. A value
    that takes both signs decides nothing, and a weight of 0 neither.
    """
    found = []
    for name, reward, weight in components:
        effect = reward.sign * weight
        if is_penalty(reward) and effect > 0:
            found.append(
                f"{name} is a penalty, but {_because(reward.sign, weight)} it pays: should the weight be {-weight:g}?"
            )
        elif not is_penalty(reward) and effect < 0:
            found.append(
                f"{name} is a reward, but {_because(reward.sign, weight)} it costs: should the weight be {-weight:g}?"
            )
    return found


def is_penalty(reward: Reward) -> bool:
    """Whether the class is meant to cost."""
    return reward.penalty or reward.category == "penalties" or reward.sign < 0


def _because(sign: int, weight: float) -> str:
    value = "never negative" if sign > 0 else "never positive"
    return f"its value is {value} and with weight {weight:g}"
