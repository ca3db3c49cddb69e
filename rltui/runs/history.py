"""What a journal means as a whole: the rows that count after resumes, and whether the last session ended cleanly."""

from __future__ import annotations

from collections.abc import Iterable

from rltui.events.records import IterationFinished, Record, RunFinished, RunResumed, RunStarted, UpdateDropped
from rltui.runs.journal import JournalWriter, read_end, read_journal
from rltui.runs.paths import RunPaths
from rltui.runs.words import utc

_Row = IterationFinished | UpdateDropped


def current_line(records: Iterable[Record]) -> list[Record]:
    """The records without the rows that a later `run_resumed` took back: earlier ones above its timesteps."""
    kept: list[Record] = []
    for record in records:
        if isinstance(record, RunResumed):
            limit = record.timesteps
            kept = [row for row in kept if not (isinstance(row, _Row) and row.timesteps > limit)]
        kept.append(record)
    return kept


def copy_history(parent: RunPaths, branch: JournalWriter, timesteps: int) -> int:
    """Give a branch its parent's iterations up to where it leaves; returns how many."""
    rows = [
        record
        for record in current_line(read_journal(parent.journal))
        if isinstance(record, IterationFinished) and record.timesteps <= timesteps
    ]
    for row in rows:
        branch.write(row)
    return len(rows)


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
