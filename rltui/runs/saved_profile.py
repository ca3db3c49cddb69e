"""Name and weights of the profile stored with a run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.profile.locate import RUN_FILE, STATE_FILE, name_in
from rltui.registry import Component, report_names
from rltui.runs.inventory import look
from rltui.runs.paths import DataDir, RunPaths, absolute, name_problem
from rltui.runs.summary import describe_run

# By which name a profile goes that a run or a saved state keeps: its file's is the same for all of them.
#
# Its first line says it. Files from before that was written have it in the run's journal, or in the state's meta.json.


def profile_name(profile: str | Path) -> str:
    """Of a profile's name or path: the file's name without .toml; of a kept one, the name with which it was trained."""
    path = absolute(profile)
    kept = {RUN_FILE: _of_run, STATE_FILE: _of_state}.get(path.name)
    if kept is not None and (found := _written(path) or kept(path.parent)):
        return found
    return path.name.removesuffix(".toml")


def _written(path: Path) -> str | None:
    try:
        return name_in(safe_io.read_text(path))
    except (OSError, ValueError):
        return None


def _of_run(folder: Path) -> str | None:
    data = DataDir(folder.parent.parent)
    if folder.parent != data.runs or name_problem(folder.name) is not None:
        return None
    return describe_run(data.run(folder.name), brief=True).profile


def _of_state(folder: Path) -> str | None:
    """Of a campaign it is the phase's."""
    about = look(folder).meta
    return about.phase_profile or about.profile if about is not None else None


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
