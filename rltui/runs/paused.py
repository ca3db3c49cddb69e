"""Since when a trainer has been held by hand, from the end of its journal: for lists of runs."""

from __future__ import annotations

from collections.abc import Sequence

from rltui.events.records import Record, RunFinished, RunStarted, StateChanged
from rltui.runs.journal import read_end
from rltui.runs.lock import Holder
from rltui.runs.paths import RunPaths

END_BYTES = 1 << 16  # a paused trainer writes little: a note of each command


def paused_since(trainer: Holder | None, records: Sequence[Record]) -> float | None:
    """Unix seconds; None where no trainer is there, or it is not paused. A save meanwhile lets it stay so."""
    if trainer is None:
        return None
    since = None
    for record in reversed(records):
        if isinstance(record, RunStarted | RunFinished) or record.time < (trainer.since or 0.0):
            break  # a pause from before this trainer came is not its own
        if isinstance(record, StateChanged):
            if record.state not in ("paused", "saving"):
                break
            since = record.time if record.state == "paused" else since
    return since


def look_paused(paths: RunPaths, trainer: Holder | None) -> float | None:
    """The same, read from the run's journal. Never raises for what is there."""
    return paused_since(trainer, read_end(paths.journal, END_BYTES)) if trainer is not None else None
