"""By which name a profile goes that a run or a saved state keeps: its file's is the same for all of them.

Its first line says it. Files from before that was written have it in the run's journal, or in the state's meta.json.
"""

from __future__ import annotations

from pathlib import Path

from rltui import safe_io
from rltui.profile.name_line import RUN_FILE, STATE_FILE, name_in
from rltui.runs.listing import look
from rltui.runs.paths import DataDir, absolute, name_problem
from rltui.runs.summary import describe_run


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
