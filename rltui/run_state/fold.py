"""Records and live frames folded into a RunSnapshot. Pure, no clock, no files.

`fold` takes what the journal says, `fold_control` what the control socket says, `with_command` what was asked from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import msgspec

from rltui import formatting
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Live, ServerMessage, Welcome
from rltui.events.records import (
    RATE_SETTING,
    CheckpointPruned,
    CheckpointSaved,
    CommandLogged,
    CurriculumPlanned,
    IterationFinished,
    PhaseChanged,
    PoolReported,
    Record,
    RunFinished,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
    StateChanged,
    TableUsed,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
    change_words,
)
from rltui.run_state.log_entries import LogEntry, entry_of
from rltui.run_state.snapshot import (
    AUDIT_ENTRIES,
    FAILURES,
    FIELDS,
    KEPT,
    LOG_LINES,
    ChartMark,
    CommandStatus,
    FlagRow,
    RunSnapshot,
    Stage,
    WorkerRow,
)
from rltui.runs.journal_cache import IterationRows

CLOCK_SET_BACK = 60.0  # seconds that no live frame is under way


def fold(snapshot: RunSnapshot, records: Iterable[Record | IterationRows]) -> RunSnapshot:
    """The snapshot after these records. Folding in one go, in pieces or thinned gives the same."""
    draft = _Draft(snapshot)
    for record in records:
        draft.take(record)
    return draft.frozen()


def fold_control(snapshot: RunSnapshot, message: ServerMessage, now: float) -> RunSnapshot:
    """The snapshot after one message of the control socket. now: Unix seconds of its arrival."""
    match message:
        case Welcome():
            link = replace(snapshot.link, connected=True, controller=message.controller, problem="")
            return replace(snapshot, run=snapshot.run or message.run, link=link)
        case Live():
            return _fold_live(snapshot, message, now)
        case CommandAccepted():
            return _advance(snapshot, message.id, "accepted", "", now)
        case CommandApplied():
            return _advance(snapshot, message.id, "applied", message.detail, now)
        case CommandRefused():
            return _advance(snapshot, message.id, "refused", message.reason, now)


def with_command(snapshot: RunSnapshot, status: CommandStatus) -> RunSnapshot:
    """The snapshot with one more command on its way; the newest twenty are kept."""
    return replace(snapshot, command_statuses=(*snapshot.command_statuses, status)[-20:])


def _advance(snapshot: RunSnapshot, number: int, stage: Stage, text: str, now: float) -> RunSnapshot:
    command_statuses = tuple(
        replace(status, stage=stage, text=text, time=now) if status.id == number else status
        for status in snapshot.command_statuses
    )
    return replace(snapshot, command_statuses=command_statuses)


def _fold_live(snapshot: RunSnapshot, live: Live, arrived: float) -> RunSnapshot:
    """Live frames win over older records, never over newer ones. One that is far behind was made after the clock was set back."""
    behind = snapshot.record_time - live.time if snapshot.record_time is not None else 0.0
    newer = not 0 < behind < CLOCK_SET_BACK
    rows = {row.worker: row for row in snapshot.workers}
    for now in live.workers:
        rows[now.worker] = replace(
            rows.get(now.worker, WorkerRow(now.worker)),
            state=now.state,
            pid=now.pid,
            steps_per_second=now.steps_per_second,
            arenas=now.arenas,
            memory_mb=now.memory_mb,
            heartbeat_age=now.heartbeat_age,
            own_silence=now.own_silence,
            heard=live.time,
            restarts=now.restarts,
            progress=now.progress,
        )
    link = replace(snapshot.link, connected=True, clients=tuple(live.clients), dropped=live.dropped)
    flags = tuple(FlagRow(flag.flag, None if flag.workers is None else tuple(flag.workers)) for flag in live.flags)
    snapshot = replace(
        snapshot,
        workers=_in_order(rows),
        link=link,
        flags=flags,
        viewer=live.viewer,
        evaluation=live.evaluation,
        live_time=live.time,
    )
    if not newer:
        return snapshot
    snapshot = replace(snapshot, news_time=live.time)
    if snapshot.finished is not None:
        return snapshot
    since = snapshot.state_since if live.state == snapshot.state else live.time
    return replace(
        snapshot,
        state=live.state,
        reason=live.reason,
        state_since=since,
        elapsed=live.elapsed,
        elapsed_time=arrived,
        iteration=live.iteration,
        timesteps=live.timesteps,
        progress=live.progress,
    )


def _in_order(rows: Mapping[int, WorkerRow]) -> tuple[WorkerRow, ...]:
    return tuple(rows[index] for index in sorted(rows))


def _header_with(header: RunStarted, record: SettingChanged, value: float) -> RunStarted:
    """The header after a change. Where the record does not tell the critic's rate, it keeps its proportion to the policy's."""
    by_hand = {setting: other for setting, other in header.by_hand.items() if setting != record.setting}
    if not record.profile:
        by_hand[record.setting] = value
    changes: dict[str, Any] = {"by_hand": by_hand}
    if record.setting in FIELDS:
        changes[FIELDS[record.setting]] = value
    if record.setting == RATE_SETTING:
        critic, policy = header.critic_learning_rate, header.learning_rate
        scaled = value * (critic / policy) if policy else critic
        changes["critic_learning_rate"] = scaled if record.critic is None else record.critic
    return msgspec.structs.replace(header, **changes)


class _Draft:
    """A snapshot being written: plain attributes while records are taken, frozen once at the end."""

    def __init__(self, snapshot: RunSnapshot) -> None:
        self._base = snapshot
        self._changes: dict[str, object] = {}
        self._workers = {row.worker: row for row in snapshot.workers}
        self._marks = list(snapshot.marks)
        self._log: list[LogEntry] = []
        self._log_total = snapshot.log_total
        self._audit: list[CommandLogged | SettingChanged] = []
        self._history = snapshot.history
        self._rows: list[tuple[int, Mapping[str, float | None]]] = []
        self._record_time, self._taken = snapshot.record_time, False

    def take(self, record: Record | IterationRows) -> None:
        if isinstance(record, IterationRows):
            self._join(record)
            return
        self._record_time, self._taken = record.time, True
        if isinstance(record, RunStarted | IterationFinished | RunFinished):
            self._set(elapsed=record.elapsed, elapsed_time=record.time)
        match record:
            case IterationFinished():
                self._iteration(record)
            case RunStarted():
                self._start(record)
            case RunResumed():
                self._resume(record)
            case StateChanged():
                self._set(state=record.state, reason=record.reason, state_since=record.time, progress=None)
            case WorkerStarted() | WorkerFailed():
                self._worker(record)
            case CheckpointSaved():
                self._saved(record)
            case CheckpointPruned():
                self._pruned(record)
            case PhaseChanged() | StageChanged():
                self._task(record)
            case SettingChanged():
                self._setting(record)
            case UpdateDropped():
                self._marks.append(ChartMark(record.timesteps, "dropped", record.source))
            case TableUsed():
                self._set(table_use=record)
            case PoolReported():
                self._set(pool=record)
            case CurriculumPlanned():
                self._set(plan=record)
            case RunFinished():
                self._set(finished=record, timesteps=record.timesteps, progress=None)
            case _:
                pass
        if isinstance(record, CommandLogged | SettingChanged):
            self._audit.append(record)
        entry = entry_of(record)
        if entry is not None:
            self._log.append(entry)
            self._log_total += 1

    def frozen(self) -> RunSnapshot:
        self._flush_rows()
        log = (*self._base.log, *self._log)[-LOG_LINES:] if self._log else self._base.log
        return replace(
            self._base,
            **self._changes,  # type: ignore[arg-type]  # fields by name
            workers=_in_order(self._workers),
            marks=tuple(self._marks),
            log=log,
            log_total=self._log_total,
            audit=(*self._base.audit, *self._audit)[-AUDIT_ENTRIES:] if self._audit else self._base.audit,
            history=self._history,
            record_time=self._record_time,
            news_time=self._record_time if self._taken else self._base.news_time,
        )

    def _set(self, **changes: object) -> None:
        self._changes.update(changes)

    def _of(self, name: str) -> Any:
        """A field of the snapshot as it stands now."""
        return self._changes.get(name, getattr(self._base, name))

    def _flush_rows(self) -> None:
        if self._rows:
            self._history = self._history.extended(self._rows)
            self._rows = []

    def _join(self, rows: IterationRows) -> None:
        self._flush_rows()
        self._history = self._history.joined(rows.timesteps, rows.columns)
        self._log_total += rows.omitted

    def _iteration(self, record: IterationFinished) -> None:
        self._rows.append((record.timesteps, record.columns()))
        self._set(
            iteration=record.iteration,
            timesteps=record.timesteps,
            metrics=record.metrics,
            metrics_time=record.time,
            progress=None,
        )

    def _start(self, record: RunStarted) -> None:
        self._workers = {index: WorkerRow(index, arenas=record.arenas) for index in range(record.workers)}
        self._set(
            changed_before=self._of("last_change"),
            header=record,
            run=record.run,
            opened=record,
            resumed=None,
            state="starting",
            reason="",
            state_since=record.time,
            timesteps=record.timesteps,
            saved_timesteps=record.timesteps,
            finished=None,
            progress=None,
        )

    def _task(self, record: PhaseChanged | StageChanged) -> None:
        """The header goes with the task."""
        header = self._changes.get("header", self._base.header)
        if isinstance(header, RunStarted):
            self._set(header=msgspec.structs.replace(header, **msgspec.structs.asdict(record.task)))
        self._marks.append(ChartMark(record.timesteps, "task", record.to))
        self._set(tasks=(*self._of("tasks"), record))

    def _setting(self, record: SettingChanged) -> None:
        """The header says what is in force."""
        self._set(last_change=record)
        header = self._changes.get("header", self._base.header)
        if isinstance(header, RunStarted) and record.value is not None:
            self._set(header=_header_with(header, record, record.value))
        self._marks.append(ChartMark(record.timesteps, "changed", change_words(record), record.setting))

    def _resume(self, record: RunResumed) -> None:
        """Rows above the checkpoint belong to a future that did not happen."""
        self._flush_rows()
        self._history = self._history.cut(record.timesteps)
        self._marks = [mark for mark in self._marks if mark.timesteps <= record.timesteps]
        if self._history.length:
            self._marks.append(ChartMark(record.timesteps, "resume", "resumed"))
        tasks = tuple(task for task in self._of("tasks") if task.timesteps <= record.timesteps)
        kept = tuple(timesteps for timesteps in self._of("kept") if timesteps <= record.timesteps)
        self._set(timesteps=record.timesteps, saved_timesteps=record.timesteps, resumed=record, tasks=tasks, kept=kept)

    def _saved(self, record: CheckpointSaved) -> None:
        self._set(saved_timesteps=record.timesteps)
        if record.kind == "milestone":
            self._set(milestone=record)
            self._marks.append(ChartMark(record.timesteps, "milestone", record.label))
        else:
            kept = (timesteps for timesteps in self._of("kept") if timesteps != record.timesteps)
            self._set(checkpoint=record, kept=(*kept, record.timesteps)[-KEPT:])

    def _pruned(self, record: CheckpointPruned) -> None:
        name = PurePath(record.path).name
        self._set(kept=tuple(timesteps for timesteps in self._of("kept") if str(timesteps) != name))

    def _worker(self, record: WorkerStarted | WorkerFailed) -> None:
        row = self._workers.get(record.worker, WorkerRow(record.worker))
        if isinstance(record, WorkerFailed):
            entry = entry_of(record)
            failures = (*((entry,) if entry is not None else ()), *row.failures)[:FAILURES]
            row = replace(row, state="failed", pid=None, steps_per_second=None, heartbeat_age=None,
                          event=f"{record.kind}: {record.reason}", failed=True, failures=failures)  # fmt: skip
        else:
            again = "restarted" if record.restarts else f"started in {formatting.duration(record.seconds)}"
            row = replace(row, state="ready", pid=record.pid, restarts=record.restarts, event=again, failed=False)
        self._workers[record.worker] = replace(row, event_time=record.time)
