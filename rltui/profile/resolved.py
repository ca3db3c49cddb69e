"""The whole profile as plain values, defaults filled in: the keys', and those of its components' parameters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rltui.profile.components import SECTIONS, complete
from rltui.profile.models import ComponentSection, Profile, RewardSection, Section
from rltui.registry import Component, Kind

OF_PHASES = ("resets", "terminals", "game", "rewards", "reward_options", "mechanics", "ppo", "label", "phase")
EXTRAS = ("curriculum", "mechanics")  # left out where nothing of them is used


def resolved(profile: Profile) -> dict[str, Any]:
    """Plain values in the order of the schema; what is not set (phase) is left out. A reward is a number, or a table.

    Of a campaign also what each phase's profile says is left out.
    """
    data: dict[str, Any] = {}
    for name, field in Profile.model_fields.items():
        value = getattr(profile, name)
        unused = name in EXTRAS and value == field.default
        if value is not None and not unused and not (profile.phases and name in OF_PHASES):
            data[field.alias or name] = _plain(value)
    return data


def digest(profile: Profile) -> str:
    """64 hex digits over the resolved profile and its phases': equal profiles, equal digests, however they are written."""
    whole = [resolved(part) for part in (profile, *profile.phases)]
    text = json.dumps(whole if profile.phases else whole[0], sort_keys=True, ensure_ascii=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()


def paid(profile: Profile, by_hand: Mapping[str, float]) -> str:
    """16 hex digits over what a lesson pays for: rewards with their weights, and what becomes of them together.

    by_hand: weights in the place of the profile's, by the rewards' names. A schedule counts as it is written.
    """
    said = {
        "rewards": profile.rewards,
        "reward_options": profile.reward_options,
        "mechanics": profile.mechanics.rewards,
    }
    whole = {name: _plain(value) for name, value in said.items()} | {"by_hand": dict(by_hand)}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def component(section: ComponentSection, name: str = "") -> tuple[Kind, Component]:
    """The component that a section names, with all its parameters. `name`: of a reward, which is its key."""
    kind = next(kind for kind, model in SECTIONS.items() if isinstance(section, model))
    if not isinstance(section, RewardSection):
        name = str(getattr(section, next(iter(type(section).model_fields))))
    return kind, Component(name, complete(kind, Component(name, section.options)))


def _plain(value: Any, name: str = "") -> Any:
    """name: the key of a reward."""
    if isinstance(value, RewardSection):
        options = _options(value, name)
        return {"weight": value.weight, **options} if options else value.weight
    if isinstance(value, Section):
        return _declared(value) | (_options(value) if isinstance(value, ComponentSection) else {})
    if isinstance(value, Mapping):
        return {key: _plain(item, key) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _options(section: ComponentSection, name: str = "") -> dict[str, Any]:
    """TOML has no null: a parameter that is None by default is left out."""
    return {key: value for key, value in component(section, name)[1].options.items() if value is not None}


def _declared(section: Section) -> dict[str, Any]:
    """Of the keys that stand for nothing by default (None, an empty list or table), those that say something."""
    return {
        name: _plain(value)
        for name, field in type(section).model_fields.items()
        if (value := getattr(section, name)) is not None and not (value in ((), {}) and value == field.default)
    }
