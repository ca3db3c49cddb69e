"""Log entries made of records."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused
from rltui.events.records import (
    CheckpointFailed,
    CheckpointPruned,
    CheckpointSaved,
    CommandLogged,
    Level,
    LogLine,
    PhaseChanged,
    Record,
    RunFinished,
    RunResumed,
    RunStarted,
    StageChanged,
    StateChanged,
    StateEvaluated,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
    end_words,
    match_words,
)
from rltui.formatting import plural, state_name

LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
LONGEST = 20_000  # characters of a message: more is nobody's line to read, and thousands of lines are kept


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log. source: who says it."""

    time: float
    level: Level
    source: str
    message: str
    worker: int | None = None
    flag: str = ""  # the debug flag that asked for it


def entry_of(record: Record) -> LogEntry | None:
    """The record's log line; None for what the other panes tell (iterations)."""
    entry = _entry(record)
    if entry is None or len(entry.message) <= LONGEST:
        return entry
    return replace(entry, message=_shortened(entry.message))


def _shortened(message: str) -> str:
    """Beginning and end: a traceback ends with what went wrong."""
    half = LONGEST // 2
    left_out = f"… {len(message) - 2 * half:,} characters left out; journal.jsonl has them …"
    return f"{message[:half]}\n{left_out}\n{message[-half:]}"


def _entry(record: Record) -> LogEntry | None:
    match record:
        case LogLine():
            named = record.worker is None or record.source.endswith(str(record.worker))
            source = record.source if named else f"{record.source} {record.worker}"
            if record.flag:  # somebody has asked for it, so it is shown like what the trainer says by itself
                text = f"[{record.flag}] {record.message}"
                return LogEntry(record.time, "info", source, text, record.worker, record.flag)
            return LogEntry(record.time, record.level, source, record.message, record.worker)
        case RunStarted() | RunResumed() | RunFinished() | StateChanged():
            return _of_run(record)
        case WorkerStarted() | WorkerFailed():
            return _of_worker(record)
        case CheckpointSaved() | CheckpointFailed() | CheckpointPruned():
            return _of_checkpoint(record)
        case CommandLogged():
            return _of_command(record)
        case PhaseChanged() | StageChanged():
            what = "phase" if isinstance(record, PhaseChanged) else "stage"
            text = f"{what} {record.to} after {record.came_from}: {record.reason}"
            return LogEntry(record.time, "info", "curriculum", text)
        case StateEvaluated():
            text = f"{formatting.short(record.timesteps)}: {record.words}"
            return LogEntry(record.time, "info", "evaluation", text)
        case UpdateDropped():
            times = "" if record.in_a_row == 1 else f" ({record.in_a_row} in a row)"
            return LogEntry(record.time, "warning", "learner", f"update dropped{times}: {record.source}")
        case _:
            return None


def _of_run(record: RunStarted | RunResumed | RunFinished | StateChanged) -> LogEntry:
    match record:
        case RunStarted():
            if record.command:
                return LogEntry(record.time, "info", "run", f"run {record.run} opened: {shlex.join(record.command)}")
            cars = f"{match_words(record)}, {plural(record.workers, 'worker')} × {plural(record.arenas, 'arena')} on {record.device}"
            return LogEntry(record.time, "info", "trainer", f"run {record.run} opened: {record.profile}, {cars}")
        case RunResumed():
            return LogEntry(record.time, "info", "runs", record.reason)
        case RunFinished():
            level: Level = "info" if record.exit_code == 0 else "error"
            return LogEntry(record.time, level, "trainer", end_words(record))
        case StateChanged():
            level = "info" if record.state in ("paused", "starting") else "debug"  # how it ends, RunFinished tells
            return LogEntry(
                record.time, level, "trainer", _joined(record.state, record.reason.removeprefix(f"{record.state}: "))
            )


def _of_worker(record: WorkerStarted | WorkerFailed) -> LogEntry:
    if isinstance(record, WorkerStarted):
        word = f"restarted (restart {record.restarts})" if record.restarts else "started"
        text = f"{word}, pid {record.pid}, ready in {formatting.duration(record.seconds)}"
        level: Level = "info" if record.restarts else "debug"  # the first start of each is the workers pane's
        return LogEntry(record.time, level, f"worker {record.worker}", text, record.worker)
    text = _joined(f"{record.kind}: {record.reason}", record.trace.strip(), separator="\n")
    return LogEntry(record.time, "error", f"worker {record.worker}", text, record.worker)


def _of_checkpoint(record: CheckpointSaved | CheckpointFailed | CheckpointPruned) -> LogEntry:
    match record:
        case CheckpointSaved():
            size = formatting.size(record.bytes)
            text = f"{state_name(record.kind, record.label or str(record.timesteps))} saved: {size} in {formatting.duration(record.seconds)}"
            level: Level = "info" if record.kind == "milestone" else "debug"  # checkpoints come several a minute
            return LogEntry(record.time, level, "runs", text)
        case CheckpointFailed():
            return LogEntry(record.time, "error", "runs", f"{record.kind} not saved: {record.reason} ({record.path})")
        case CheckpointPruned():
            return LogEntry(record.time, "debug", "runs", f"pruned {record.path}")


def _of_command(record: CommandLogged) -> LogEntry:
    who = record.by.partition(" on ")[0]
    match record.outcome:
        case CommandAccepted():
            return LogEntry(record.time, "debug", who, f"{record.command} → accepted")
        case CommandApplied():
            waited = record.outcome.seconds
            outcome = "applied at once" if waited < 0.1 else f"applied after {formatting.duration(waited)}"
            level: Level = "debug" if record.command.startswith("stop") else "info"  # RunFinished tells how it ended
            return LogEntry(record.time, level, who, _joined(f"{record.command} → {outcome}", record.outcome.detail))
        case CommandRefused():
            return LogEntry(record.time, "warning", who, f"{record.command} → refused: {record.outcome.reason}")


def _joined(first: str, second: str, separator: str = ": ") -> str:
    return f"{first}{separator}{second}" if second else first
