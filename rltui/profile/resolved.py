"""The whole profile as plain values, defaults filled in: the keys', and those of its components' parameters."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rltui.profile.components import complete
from rltui.profile.models import ActionsSection, ComponentSection, ObsSection, Profile, RewardSection, TerminalSection
from rltui.registry import Component, Kind


def resolved(profile: Profile) -> dict[str, Any]:
    """Plain values in the order of the schema; what is not set (phase) is left out. A reward is a number, or a table."""
    data: dict[str, Any] = {}
    for name, field in Profile.model_fields.items():
        value = _plain(getattr(profile, name))
        if value is not None:
            data[field.alias or name] = value
    return data


def digest(profile: Profile) -> str:
    """64 hex digits over the resolved profile: equal profiles, equal digests, however they are written."""
    text = json.dumps(resolved(profile), sort_keys=True, ensure_ascii=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()


def component(section: ComponentSection, name: str = "") -> tuple[Kind, Component]:
    """The component that a section names, with all its parameters. `name`: of a reward, which is its key."""
    kind: Kind
    if isinstance(section, ObsSection):
        kind, name = "obs", section.kind
    elif isinstance(section, ActionsSection):
        kind, name = "action table", section.table
    elif isinstance(section, RewardSection):
        kind = "reward"
    elif isinstance(section, TerminalSection):
        kind, name = "terminal", section.kind
    else:
        kind, name = "reset", str(getattr(section, "kind", name))
    return kind, Component(name, complete(kind, Component(name, section.options)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reward(name, section) for name, section in value.items()}
    if isinstance(value, ComponentSection):
        return {**_declared(value), **_options(value)}
    if isinstance(value, tuple) and any(isinstance(item, ComponentSection) for item in value):
        return tuple(map(_plain, value))
    if hasattr(value, "model_fields_set"):
        return _declared(value)
    return value


def _reward(name: str, section: RewardSection) -> Any:
    options = _options(section, name)
    return {"weight": section.weight, **options} if options else section.weight


def _options(section: ComponentSection, name: str = "") -> dict[str, Any]:
    """TOML has no null: a parameter that is None by default is left out."""
    return {key: value for key, value in component(section, name)[1].options.items() if value is not None}


def _declared(section: Any) -> dict[str, Any]:
    return {name: getattr(section, name) for name in type(section).model_fields}
