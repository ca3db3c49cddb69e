"""Records: what a trainer says has happened. One JSON object a line in the journal, tagged by `event`.

`time` is Unix seconds. Unknown is null, never 0. Readers skip events and fields that they do not know.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused

TrainerState = Literal["starting", "collecting", "learning", "paused", "saving", "stopping", "stopped", "failed"]
Level = Literal["debug", "info", "warning", "error"]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=_snake):
    time: float


class RunStarted(_Record, frozen=True, kw_only=True):
    """The header: written when a trainer opens the run, first time or again."""

    run: str
    profile: str
    label: str
    phase: int | None
    stage: str | None
    author: str
    versions: dict[str, str]
    pid: int
    host: str
    device: str
    seed: int
    timesteps: int
    step_limit: int | None
    workers: int
    arenas: int  # per worker
    blue: int
    orange: int
    obs_size: int
    actions: int
    policy_layers: list[int]
    critic_layers: list[int]
    policy_parameters: int
    critic_parameters: int
    learning_rate: float
    critic_learning_rate: float
    ent_coef: float
    gamma: float
    tick_skip: int
    iteration: int  # timesteps wanted per iteration
    batch: int
    minibatch: int
    epochs: int
    save_every: int
    milestone_interval: int
    reward_names: list[str]
    obs: str = ""  # the observation's signature: kind, parameters, size
    table_hash: str = ""  # of the action table


class RunResumed(_Record, frozen=True, kw_only=True):
    """Training goes on from a checkpoint: readers drop earlier rows above `timesteps`."""

    timesteps: int
    checkpoint: str
    reason: str


CLOCK, ITERATION = "clock", "iteration"  # columns that histories have beside the metrics: Unix seconds, its number


class IterationFinished(_Record, frozen=True, kw_only=True):
    iteration: int
    timesteps: int
    metrics: dict[str, float | None]

    def columns(self) -> dict[str, float | None]:
        """The metrics, and when and which it was: a row of a history."""
        return {**self.metrics, CLOCK: self.time, ITERATION: self.iteration}


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """What a curriculum's step changes of the run's header, under the same names."""

    label: str
    phase: int | None
    stage: str | None
    blue: int
    orange: int
    learning_rate: float
    critic_learning_rate: float
    ent_coef: float
    gamma: float
    iteration: int
    batch: int
    minibatch: int
    epochs: int
    reward_names: list[str]


class _LessonChanged(_Record, frozen=True, kw_only=True):
    """The run goes on with another lesson; its first iteration is the next one."""

    timesteps: int
    came_from: str = msgspec.field(name="from")
    to: str
    reason: str
    lesson: Lesson


class PhaseChanged(_LessonChanged, frozen=True, kw_only=True):
    """from, to: the phases' profiles."""


class StageChanged(_LessonChanged, frozen=True, kw_only=True):
    """from, to: the stages' names."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion of promotion: `curriculum/<name>` is the metric of its value, `curriculum/<name>_missing` of the distance."""

    name: str  # as the profile has it
    label: str
    unit: str
    value: float  # to be reached
    less: bool  # at most, not at least


class PhasePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a campaign as the profile plans it."""

    profile: str
    label: str
    number: int  # of the bot's education, as milestones are named
    until: list[Wanted]
    min_steps: int  # timesteps that it lasts at least
    max_steps: int | None  # timesteps after which the next one begins in any case
    changes: list[str]  # what it changes of the phase before it: `rewards.goal.weight 20 → 25`
    schedules: list[str]  # what changes by timesteps within it, in words


class StagePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of match play."""

    name: str
    until: int | None  # timesteps of the run; None: the last


class CurriculumPlanned(_Record, frozen=True, kw_only=True):
    """What the profile plans to change as the bot learns; told when a trainer opens the run. All empty: nothing."""

    timesteps: int
    phases: list[PhasePlan]
    stages: list[StagePlan]
    window: int  # newest iterations over which skill is measured
    schedules: list[str]  # of a profile without phases


class SettingChanged(_Record, frozen=True, kw_only=True):
    """Somebody changed what or how is learned, and from here on it is in force."""

    timesteps: int
    setting: str  # learning rate, entropy, reward <name>, debug_turtled_start on
    value: float | None  # now; None where the setting says it all, or follows a schedule
    by: str


class UpdateDropped(_Record, frozen=True, kw_only=True):
    """The non-finite guard kept an update from the weights."""

    iteration: int
    timesteps: int
    source: str  # which reward, observation index, worker, arena, loss or gradient
    in_a_row: int


class WorkerStarted(_Record, frozen=True, kw_only=True):
    worker: int
    pid: int
    restarts: int
    seconds: float  # from spawn to ready


class WorkerFailed(_Record, frozen=True, kw_only=True):
    worker: int
    kind: Literal["died", "hung", "raised", "start"]
    reason: str
    trace: str


class StateChanged(_Record, frozen=True, kw_only=True):
    state: TrainerState
    reason: str


class CheckpointSaved(_Record, frozen=True, kw_only=True):
    kind: Literal["checkpoint", "milestone"]
    path: str
    label: str
    timesteps: int
    bytes: int
    held_seconds: float  # how long the training thread was held
    seconds: float  # until it was on disk


class CheckpointFailed(_Record, frozen=True, kw_only=True):
    kind: Literal["checkpoint", "milestone"]
    path: str
    reason: str


class CheckpointPruned(_Record, frozen=True, kw_only=True):
    path: str


class LogLine(_Record, frozen=True, kw_only=True):
    level: Level
    source: str  # trainer, learner, worker, runs, control …
    message: str
    worker: int | None = None
    flag: str = ""  # the debug flag that asked for it


class TableUsed(_Record, frozen=True, kw_only=True):
    """How often each row of the action table was chosen since the trainer started."""

    timesteps: int
    table_hash: str
    counts: list[int]  # by row


class RunFinished(_Record, frozen=True, kw_only=True):
    """A clean end. A run whose journal lacks it after its last RunStarted ended uncleanly."""

    timesteps: int
    exit_code: int
    reason: str


class CommandLogged(_Record, frozen=True, kw_only=True):
    """The audit line of one command's fate."""

    command: str
    by: str
    outcome: CommandAccepted | CommandApplied | CommandRefused


Record = (
    RunStarted
    | RunResumed
    | IterationFinished
    | PhaseChanged
    | StageChanged
    | CurriculumPlanned
    | SettingChanged
    | UpdateDropped
    | WorkerStarted
    | WorkerFailed
    | StateChanged
    | CheckpointSaved
    | CheckpointFailed
    | CheckpointPruned
    | LogLine
    | TableUsed
    | RunFinished
    | CommandLogged
)


def change_words(change: SettingChanged) -> str:
    """As charts and logs name it: `learning rate 0.0001`."""
    return change.setting if change.value is None else f"{change.setting} {change.value:g}"


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def encode(record: Record) -> bytes:
    """One JSON line, without the newline."""
    return _encoder.encode(record)


def decode(line: bytes) -> Record | None:
    """The record of one line; None where it is torn, foreign or of an unknown kind."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
