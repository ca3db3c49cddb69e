"""Is a folder one of ours to move? Links are never followed out of the data folder, and never moved themselves."""

from __future__ import annotations

import os
from pathlib import Path

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir, RunPaths
from rltui.safe_io import real


def is_below(path: Path, folder: Path) -> bool:
    """Whether what the path leads to lies somewhere inside the folder."""
    return real(folder) in real(path).parents


def run_of(data: DataDir, path: Path) -> RunPaths | None:
    """The run among whose checkpoints or milestones the path lies by its name; None for one from elsewhere."""
    for name in data.run_names():
        run = data.run(name)
        if run.checkpoints in path.parents or run.milestones in path.parents:
            return run
    return None


def check_own(data: DataDir, path: Path) -> None:
    """RltuiError unless this is a folder itself (no link), and really lies in the data folder."""
    if not os.path.lexists(path):
        raise RltuiError(f"{path} is gone", "look again: rltui milestones")
    if path.is_symlink():
        raise RltuiError(f"{path} is a link to {path.readlink()}: it is left alone", "remove the link by hand")
    if not is_below(path, data.root):
        raise RltuiError(
            f"{path} lies outside the data folder, at {real(path)}: it is left alone", "move or remove it there by hand"
        )
