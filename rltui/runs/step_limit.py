"""At how many timesteps a run was told to end: by `--steps` of its newest start, which its journal's header keeps."""

from __future__ import annotations

from rltui.events.records import RunStarted
from rltui.runs.journal import read_back
from rltui.runs.paths import RunPaths

_FAR = 1 << 26  # bytes of journal looked through for the header of a start that was long ago


def step_limit(paths: RunPaths) -> int | None:
    """The total; None without one, or where no header is found."""
    for block in read_back(paths.journal, most=_FAR):
        header = next((record for record in reversed(block) if isinstance(record, RunStarted)), None)
        if header is not None:
            return header.step_limit
    return None
