"""Which run was heard of last, told from the last few lines of each: `rltui attach` waits for the answer."""

from __future__ import annotations

from rltui.runs.journal import read_end
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import describe_run

_FEW = 1 << 14  # bytes of journal, several records


def newest_run(data: DataDir) -> str | None:
    """The name of the one with the newest record; None where there are no runs. Without a journal its saved states count."""
    return max(data.run_names(), key=lambda name: _updated(data.run(name)), default=None)


def _updated(paths: RunPaths) -> float:
    """Unix seconds; 0 where nothing is known."""
    records = read_end(paths.journal, _FEW)
    return records[-1].time if records else describe_run(paths).updated or 0.0
