"""RunSnapshot and its parts: what a run looks like at one moment. Frozen; fold.py makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from rltui.events.commands import EvaluationLive, ViewerLive
from rltui.events.records import (
    ENTROPY_SETTING,
    RATE_SETTING,
    CheckpointSaved,
    CommandLogged,
    CurriculumPlanned,
    PhaseChanged,
    PoolReported,
    RunFinished,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
    TableUsed,
)
from rltui.run_state.history import History
from rltui.run_state.log_entries import LogEntry
from rltui.run_state.trend import Findings

# Setting → the header's field that says what is in force of it.
FIELDS = {RATE_SETTING: "learning_rate", ENTROPY_SETTING: "ent_coef"}
LOG_LINES = 5000
AUDIT_ENTRIES = 1000
KEPT = 100  # checkpoints, the newest of those not pruned
FAILURES = 5
# unsent: it never left. lost: it was sent, and the connection ended before it was known what became of it.
Stage = Literal["unsent", "sent", "accepted", "applied", "refused", "lost"]


@dataclass(frozen=True, slots=True)
class ChartMark:
    """An event on the charts' time axis. setting: that was changed, as events/records.py has it."""

    timesteps: int
    kind: Literal["resume", "milestone", "dropped", "task", "changed"]
    label: str
    setting: str = ""


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker, as last heard of. Unknown is None."""

    worker: int
    state: str = "starting"
    pid: int | None = None
    steps_per_second: float | None = None
    arenas: int | None = None
    memory_mb: float | None = None
    heartbeat_age: float | None = None  # seconds, at `heard`
    own_silence: float | None = None  # of these, those that were its own
    heard: float | None = None  # Unix time of the figures above
    restarts: int = 0
    progress: float | None = None
    event: str = ""  # the last thing that happened to it
    event_time: float | None = None
    failed: bool = False  # the event is a failure
    failures: tuple[LogEntry, ...] = ()  # of this start, as in the log: the newest FAILURES, the newest first


@dataclass(frozen=True, slots=True)
class FlagRow:
    """A debug flag that is on. workers: those for which it is; None: all."""

    flag: str
    workers: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class CommandStatus:
    """What became of a command sent from here."""

    id: int
    name: str
    stage: Stage
    text: str  # detail of an applied one, reason of a refused one
    time: float  # Unix time of the stage


class LeftAt(msgspec.Struct, frozen=True):
    """When a cockpit on the run was left, and how far the run was. log_total: entries of the log until then."""

    time: float  # Unix seconds
    timesteps: int
    log_total: int


@dataclass(frozen=True, slots=True)
class Link:
    """The control socket as this viewer sees it."""

    connected: bool = False
    readonly: bool = False
    mine: bool = False  # this viewer holds control
    controller: str | None = None  # who holds it, as others see them
    clients: tuple[str, ...] = ()
    problem: str = ""  # why there is no connection
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """Everything that the cockpit shows, at one moment."""

    run: str = ""
    header: RunStarted | None = None
    state: str | None = None
    reason: str = ""
    state_since: float | None = None
    iteration: int = 0
    timesteps: int = 0
    progress: float | None = None  # 0–1 of the current state's work
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    metrics_time: float | None = None
    history: History = field(default_factory=History)
    found: Findings = field(default_factory=Findings)  # in the history, as the reader thread last looked
    workers: tuple[WorkerRow, ...] = ()
    log: tuple[LogEntry, ...] = ()  # the newest LOG_LINES
    log_total: int = 0  # of all that ever were
    audit: tuple[CommandLogged | SettingChanged, ...] = ()  # who asked for what, and what became of it; oldest first
    table_use: TableUsed | None = None  # the newest count of chosen table rows
    pool: PoolReported | None = None  # the newest report on frozen opponents
    plan: CurriculumPlanned | None = None  # what the profile changes as the bot learns
    tasks: tuple[PhaseChanged | StageChanged, ...] = ()  # taken up so far, oldest first
    opened: RunStarted | None = None  # the header as it was when the trainer opened the run
    last_change: SettingChanged | None = None  # the newest of a setting
    changed_before: SettingChanged | None = None  # the one that was the newest when the run was opened
    resumed: RunResumed | None = None  # where this start went on from
    marks: tuple[ChartMark, ...] = ()
    checkpoint: CheckpointSaved | None = None
    milestone: CheckpointSaved | None = None
    saved_timesteps: int | None = None
    kept: tuple[int, ...] = ()  # timesteps of the checkpoints not pruned, in the order of saving: the newest KEPT
    finished: RunFinished | None = None
    elapsed: float | None = None  # seconds that the run had taken in all its sessions, at `elapsed_time`
    elapsed_time: float | None = None
    record_time: float | None = None  # of the newest record
    live_time: float | None = None  # of the newest live frame
    news_time: float | None = None  # when the trainer was last heard of, by whichever way
    command_statuses: tuple[CommandStatus, ...] = ()
    flags: tuple[FlagRow, ...] = ()  # by the newest live frame
    viewer: ViewerLive | None = None  # by the newest live frame
    evaluation: EvaluationLive | None = None  # by the newest live frame
    link: Link = Link()
    alive: bool | None = None  # is a trainer's process there; None where nobody can tell
    gone: bool = False  # the run's folder has been taken away
    output: str = ""  # the end of the trainer's own output, where it died before its first record
    reader_problem: str = ""  # why the reader thread ended
    bad_lines: int = 0  # of the journal, that are no record

    @property
    def journal_problem(self) -> str:
        """What of the journal is not shown here, in words; empty where nothing is missing."""
        if not self.bad_lines:
            return ""
        are = "line is no record" if self.bad_lines == 1 else "lines are no records"
        return f"{self.bad_lines:,} {are} (damaged, or of another version), and left out"

    @property
    def ended(self) -> bool:
        """The trainer has said so, or its process is gone."""
        return self.finished is not None or self.alive is False

    @property
    def paused(self) -> bool:
        """Held by hand, by a trainer that is there."""
        return self.state == "paused" and not self.ended
