"""Overrides: the entropy coefficient and reward weights as set by hand, in the place of the profile's.

Each holds until it is taken back, or until what the profile says of it changes: at a resume, or with the next phase.
"""

from __future__ import annotations

from collections.abc import Mapping

from rltui.env.spec import Weighted
from rltui.events import metric_keys
from rltui.events.episode_reward import WEIGHT
from rltui.events.records import ENTROPY, setting_words, weight_of
from rltui.runs.trainer_state import OverrideState
from rltui.train.blueprint import Blueprint


class Overrides:
    """Of one lesson: values by what they set, `entropy` or `reward <name>`."""

    def __init__(self, lesson: Blueprint) -> None:
        self._profile_entropy: float = lesson.ppo.ent_coef
        self._rewards = lesson.spec.weighed
        self.values: dict[str, float] = {}

    @classmethod
    def carried_on(cls, lesson: Blueprint, stored: Mapping[str, OverrideState]) -> tuple[Overrides, list[str]]:
        """Those that still hold in this lesson, and which word won, in words."""
        made, notices = cls(lesson), []
        words = made._words()
        for setting, state in stored.items():
            said = f"{setting_words(setting, state.value)}, set by hand"
            if setting not in words:
                notices.append(f"{said}, ends: the profile has no such reward any more")
            elif words[setting] == state.words:
                made.values[setting] = state.value
                notices.append(f"{said}, goes on: the profile's has not changed since")
            else:
                notices.append(
                    f"the profile's {setting_words(setting)}, which has changed, wins over {state.value:g}, set by hand"
                )
        return made, notices

    def stored(self) -> dict[str, OverrideState]:
        """For a checkpoint, or the next lesson."""
        words = self._words()
        return {setting: OverrideState(words=words[setting], value=value) for setting, value in self.values.items()}

    def put(self, setting: str, value: float | None) -> None:
        """None: the profile's again."""
        if value is None:
            self.values.pop(setting, None)
        else:
            self.values[setting] = value

    @property
    def entropy(self) -> float:
        """The coefficient in force."""
        return self.values.get(ENTROPY, self._profile_entropy)

    @property
    def reward_names(self) -> list[str]:
        """Whose weights can be set."""
        return list(self._rewards)

    @property
    def weights(self) -> dict[str, float]:
        """Of rewards, those set by hand."""
        return {name: self.values[weight_of(name)] for name in self._rewards if weight_of(name) in self.values}

    def weight(self, name: str, timesteps: int) -> float:
        """In force after so many timesteps of the lesson."""
        return self.values.get(weight_of(name), self._rewards[name].weight_at(timesteps))

    def metrics(self, timesteps: int) -> dict[str, float | None]:
        """`train/ent_coef`, and `weight/<name>` of every reward whose weight is not just as the profile has it."""
        found: dict[str, float | None] = {metric_keys.ENT_COEF: self.entropy}
        for name, item in self._rewards.items():
            if item.schedule or weight_of(name) in self.values:
                found[f"{WEIGHT}{name}"] = self.weight(name, timesteps)
        return found

    def _words(self) -> dict[str, str]:
        rewards = {weight_of(name): _words_of(item) for name, item in self._rewards.items()}
        return {ENTROPY: repr(self._profile_entropy), **rewards}


def _words_of(item: Weighted) -> str:
    return repr(item.schedule or item.weight)
