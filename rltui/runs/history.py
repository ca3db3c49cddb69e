"""What a journal means as a whole: the rows that count after resumes, and whether the last session ended cleanly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import accumulate

from rltui.events.records import (
    IterationFinished,
    PhaseChanged,
    Record,
    RunFinished,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
    UpdateDropped,
)
from rltui.formatting import utc
from rltui.runs.journal import JournalWriter, read_end, read_journal
from rltui.runs.paths import RunPaths

_OfTraining = IterationFinished | UpdateDropped | PhaseChanged | StageChanged | SettingChanged


def current_line(records: Iterable[Record]) -> list[Record]:
    """The records without those of training that a later `run_resumed` took back: earlier ones above its timesteps."""
    kept: list[Record] = []
    for record in records:
        if isinstance(record, RunResumed):
            kept = [earlier for earlier in kept if not is_beyond(earlier, record.timesteps)]
        kept.append(record)
    return kept


def is_beyond(record: Record, timesteps: int) -> bool:
    """Whether training that goes on from so many timesteps takes it back."""
    return isinstance(record, _OfTraining) and record.timesteps > timesteps


def copy_history(parent: RunPaths, branch: JournalWriter, timesteps: int) -> int:
    """Give a branch its parent's iterations up to where it leaves; returns how many.

    Read twice, so that the history of weeks is never in memory as a whole.
    """
    copied, resumes = 0, 0
    limits = _limits(parent)
    for record in read_journal(parent.journal):
        if isinstance(record, RunResumed):
            resumes += 1
        elif isinstance(record, IterationFinished) and record.timesteps <= min(timesteps, limits[resumes]):
            branch.write(record)
            copied += 1
        if resumes == len(limits):
            break  # the parent was resumed meanwhile: what follows is no part of this history
    return copied


def _limits(paths: RunPaths) -> list[float]:
    """For what lies before the first resume, between it and the next, …: the timesteps from which on resumes took it back."""
    resumed = [record.timesteps for record in read_journal(paths.journal) if isinstance(record, RunResumed)]
    limits = accumulate(reversed(resumed), min, initial=math.inf)
    return list(limits)[::-1]


def unclean_end(paths: RunPaths) -> str | None:
    """How the last session ended if it did not end cleanly, in words; None where it did or there was none.

    Asked by the holder of the run's lock before it writes its own header: a session that still runs looks the same.
    """
    return describe_unclean(read_end(paths.journal))


def describe_unclean(newest: list[Record]) -> str | None:
    """As `unclean_end`, of the records at the journal's end."""
    session = newest
    for index, record in enumerate(newest):
        if isinstance(record, RunStarted):
            session = newest[index:]
    if not session or any(isinstance(record, RunFinished) for record in session):
        return None
    header = session[0]
    who = f" (pid {header.pid} on {header.host}, started {utc(header.time)})" if isinstance(header, RunStarted) else ""
    return f"the last session{who} did not end cleanly: its last record is of {utc(session[-1].time)}"
