"""What speaks against a change by hand that can be done and is probably not meant. Pure."""

from __future__ import annotations

from rltui.events.commands import Command, SetEntropy, SetLearningRate, SetRewardWeight
from rltui.events.episode_reward import WEIGHT
from rltui.events.records import weight_of
from rltui.profile.usual_ranges import entropy_words, rate_words
from rltui.tui.run.model import RunSnapshot

LEAP = 10  # times the learning rate in force


def doubt(command: Command, snapshot: RunSnapshot) -> str:
    """In words; empty where nothing does."""
    match command:
        case SetLearningRate(value=float(value)):
            return _of_rate(value, snapshot)
        case SetEntropy(ent_coef=float(value)):
            return entropy_words(value)
        case SetRewardWeight(name=name, weight=float(value)):
            return _of_weight(value, _weight(name, snapshot))
        case _:
            return ""


def _of_rate(rate: float, snapshot: RunSnapshot) -> str:
    header = snapshot.header
    words = rate_words(rate, header.phase if header is not None else None)
    if header is None or not rate > LEAP * header.learning_rate > 0:
        return words
    leap = f"{rate / header.learning_rate:,.0f} times the {header.learning_rate:g} of now"
    return f"{leap}; {words}" if words else leap


def _of_weight(weight: float, now: float | None) -> str:
    if now is None or weight * now >= 0:
        return ""
    turned = "what was punished is then paid for" if weight > 0 else "what was paid for is then punished"
    return f"its weight is {now:g} now: {turned}"


def _weight(name: str, snapshot: RunSnapshot) -> float | None:
    """The one in force: by hand, by a schedule, or the header's."""
    header = snapshot.header
    by_hand = header.by_hand.get(weight_of(name)) if header is not None else None
    scheduled = snapshot.metrics.get(WEIGHT + name)
    for known in (by_hand, scheduled):
        if known is not None:
            return known
    return header.reward_weights.get(name) if header is not None else None
