"""What an edited profile has changed between two starts of a run: as marked as what people change by hand. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rltui.events.records import RunStarted, setting_words, weight_of
from rltui.tui.run.headers import FIELDS
from rltui.tui.run.history import History
from rltui.tui.run.model import Mark
from rltui.tui.run.rewards_apart import steady_weights

IDLE = {"minibatch"}  # it saves memory and changes nothing that is learned
FOLLOWS = {"critic_learning_rate": "learning_rate", "batch": "iteration"}  # the same in most profiles: told once
SETTINGS = {field: setting for setting, field in FIELDS.items()}


def edits(before: RunStarted, start: RunStarted, history: History) -> list[Mark]:
    """Marks where the start goes on. before: the header up to there. What an old journal does not tell is not marked."""
    return [*_weights(before, start, history), *_settings(before, start)]


def _weights(before: RunStarted, start: RunStarted, history: History) -> Iterator[Mark]:
    """Rewards whose weights are others: what is paid is another thing."""
    known = steady_weights(history, start.timesteps, before)
    for name, weight in start.reward_weights.items():
        setting = weight_of(name)
        if setting not in start.by_hand and not math.isclose(weight, known.get(name, weight)):
            yield Mark(start.timesteps, "changed", setting_words(setting, weight), setting)


def _settings(before: RunStarted, start: RunStarted) -> Iterator[Mark]:
    """Of [ppo], as both profiles have it; rate and entropy coefficient under the names by which people set them by hand."""
    both = before.ppo.keys() & start.ppo.keys()
    changed = [key for key, value in start.ppo.items() if key in both - IDLE and value != before.ppo[key]]
    for key in changed:
        if FOLLOWS.get(key) in changed:
            continue
        if (setting := SETTINGS.get(key)) is not None:
            yield Mark(start.timesteps, "changed", setting_words(setting, getattr(start, key)), setting)
        else:
            yield Mark(start.timesteps, "changed", _words(key, start.ppo[key]), f"ppo.{key}")


def _words(key: str, value: bool | float | str) -> str:
    """As a profile has it: `ppo.epochs 3`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"ppo.{key} {f'{value:,.10g}' if number else str(value).lower()}"
