"""By which name a profile goes that a run or a saved state keeps: its file's is the same for all of them."""

from __future__ import annotations

from pathlib import Path

from rltui.runs.listing import look
from rltui.runs.paths import DataDir, absolute, name_problem
from rltui.runs.summary import describe_run


def profile_name(profile: str | Path) -> str:
    """Of a profile's name or path: the file's name without .toml; of a kept one, the name with which it was trained."""
    path = absolute(profile)
    kept = {"run.toml": _of_run, "profile.toml": _of_state}.get(path.name)
    return (kept(path.parent) if kept is not None else None) or path.name.removesuffix(".toml")


def _of_run(folder: Path) -> str | None:
    data = DataDir(folder.parent.parent)
    if folder.parent != data.runs or name_problem(folder.name) is not None:
        return None
    return describe_run(data.run(folder.name), brief=True).profile


def _of_state(folder: Path) -> str | None:
    """Of a campaign it is the phase's."""
    about = look(folder).meta
    return about.phase_profile or about.profile if about is not None else None
