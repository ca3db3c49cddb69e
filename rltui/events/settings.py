"""What people can change while it runs, by the names that records, headers and checkpoints have for it.

They are kept apart from the words in which it is told: records.setting_words has those.
"""

from __future__ import annotations

RATE, ENTROPY = "learning rate", "entropy"
_WEIGHT = "reward "  # before the reward's name


def weight_of(reward: str) -> str:
    """The setting that is this reward's weight."""
    return f"{_WEIGHT}{reward}"


def reward_of(setting: str) -> str | None:
    """The reward whose weight it is; None of any other setting."""
    return setting.removeprefix(_WEIGHT) if setting.startswith(_WEIGHT) else None
