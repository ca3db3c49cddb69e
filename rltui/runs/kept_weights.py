"""The reward weights of the profile that a run keeps, for journals from before their headers told them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from rltui import safe_io
from rltui.registry import Component, report_names
from rltui.runs.paths import RunPaths


def kept_weights(paths: RunPaths) -> dict[str, float]:
    """By the names of reports. Empty where the profile cannot be read, or its phases have rewards of their own."""
    try:
        profile = tomllib.loads(safe_io.read_text(paths.profile))
    except (OSError, ValueError, RecursionError):
        return {}
    rewards, has_phases = profile.get("rewards"), bool(_table(profile.get("curriculum")).get("phases"))
    if has_phases or not isinstance(rewards, Mapping):
        return {}
    names = report_names([Component(key) for key in rewards])
    weights = zip(names, map(_weight, rewards.values()), strict=True)
    return {name: weight for name, weight in weights if weight is not None}


def _weight(value: Any) -> float | None:
    """`2.0`, or `{weight = 2.0, …}`."""
    weight = value.get("weight") if isinstance(value, Mapping) else value
    return float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else None


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
