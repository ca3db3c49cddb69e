"""Records: what a trainer says has happened, one JSON object a line of the journal, tagged by `event`."""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Literal

import msgspec

from rltui.events import metric_keys
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, plain
from rltui.events.game_record import DEVIATIONS
from rltui.formatting import elo, plural, scores

# Settings that people can change while it runs, as records and checkpoints name them; `setting_words` has them in words.
RATE_SETTING, ENTROPY_SETTING = "learning rate", "entropy"
_WEIGHT = "reward "  # before the reward's name


def weight_of(reward: str) -> str:
    """The setting that is this reward's weight."""
    return f"{_WEIGHT}{reward}"


def reward_of(setting: str) -> str | None:
    """The reward whose weight it is; None of any other setting."""
    return setting.removeprefix(_WEIGHT) if setting.startswith(_WEIGHT) else None


# running: of a script of others, which does not tell collecting from learning
TrainerState = Literal[
    "starting", "collecting", "learning", "running", "paused", "saving", "stopping", "stopped", "failed"
]
Level = Literal["debug", "info", "warning", "error"]

# What is beyond these comes from no trainer: a line that has it is no record, and no reader meets an overflow later.
Count = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
LARGEST = 1e100
Figure = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
Workers = Annotated[int, msgspec.Meta(ge=0, le=1 << 16)]  # each gets a row


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=_snake):
    """Unknown is null, never 0. Readers skip events and fields that they do not know."""

    time: Figure  # Unix seconds


class _Timed(_Record, frozen=True, kw_only=True):
    elapsed: Figure | None = None  # seconds of the run so far in all its sessions, by a clock that nobody sets


class RunStarted(_Timed, frozen=True, kw_only=True):
    """The header: written when a trainer opens the run, first time or again."""

    run: str
    start: Count = 0  # its number, see runs/lock.py; 0: unknown
    profile: str
    label: str
    phase: Count | None
    stage: str | None
    author: str
    versions: dict[str, str]
    pid: Count
    host: str
    device: str
    kernel: str = ""  # NumPy's matrix kernel, in words; empty: unknown
    seed: int  # of any size
    timesteps: Count
    step_limit: Count | None
    workers: Workers
    arenas: Count  # per worker
    blue: Count
    orange: Count
    obs_size: Count
    actions: Count
    policy_layers: list[Count]
    critic_layers: list[Count]
    policy_parameters: Count
    critic_parameters: Count
    learning_rate: Figure
    critic_learning_rate: Figure
    ent_coef: Figure
    gamma: Figure
    tick_skip: Count
    iteration: Count  # timesteps wanted per iteration
    batch: Count
    minibatch: Count  # rows worked on at a time, as it came out
    epochs: Count
    save_every: Count
    milestone_interval: Count
    evaluation_games: Count = 0  # of each milestone against each opponent
    reward_names: list[str]
    obs: str = ""  # the observation's signature: kind, parameters, size
    table_hash: str = ""  # of the action table
    precision: str = ""  # of the update's matrix products; empty: unknown
    by_hand: dict[str, Figure] = {}  # settings as in SettingChanged, set by hand and still in force
    reward_weights: dict[str, Figure] = {}  # by name, as the profile has them at this point; empty: unknown
    ppo: dict[str, bool | Figure | str] = {}  # the profile's section of that name; empty: unknown
    opponent: str = ""  # who plays orange; empty: the bot itself
    environment: str = ""  # of the user's own, in the game's place: its agents are blue
    command: list[str] = []  # of a script of others that `rltui run` hosts, of which all else is unknown; else empty


class RunResumed(_Record, frozen=True, kw_only=True):
    """Training goes on from a checkpoint: readers drop earlier rows above `timesteps`."""

    timesteps: Count
    checkpoint: str
    reason: str


CLOCK, ITERATION = "clock", "iteration"  # columns that histories have beside the metrics: Unix seconds, its number


class IterationFinished(_Timed, frozen=True, kw_only=True):
    iteration: Count
    timesteps: Count
    metrics: dict[str, Figure | None]

    def columns(self) -> dict[str, float | None]:
        """The metrics, and when and which it was: a row of a history."""
        return {**self.metrics, CLOCK: self.time, ITERATION: self.iteration}


class TaskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a curriculum's step changes of the run's header, under the same names."""

    label: str
    phase: Count | None
    stage: str | None
    blue: Count
    orange: Count
    learning_rate: Figure
    critic_learning_rate: Figure
    ent_coef: Figure
    gamma: Figure
    iteration: Count
    batch: Count
    minibatch: Count
    epochs: Count
    reward_names: list[str]
    by_hand: dict[str, Figure] = {}
    reward_weights: dict[str, Figure] = {}
    ppo: dict[str, bool | Figure | str] = {}
    opponent: str = ""  # who plays orange; empty: the bot itself
    environment: str = ""  # of the user's own, in the game's place: its agents are blue


def run_again(header: RunStarted) -> str:
    """What to type to start the script of others again, in the same run."""
    return shlex.join(["rltui", "run", "--run", header.run, "--", *header.command])


def match_words(task: TaskSettings | RunStarted) -> str:
    """Who plays whom: `2v2`, `1v2 checkpoints`; of an environment of the user's own `CartPole-v1, 1 agent`. Empty: unknown."""
    if task.environment:
        return f"{task.environment}, {plural(task.blue, 'agent')}"
    if not task.blue:
        return ""
    return f"{task.blue}v{task.orange} {task.opponent}".rstrip()


class _TaskChanged(_Record, frozen=True, kw_only=True):
    """The run goes on with another task; its first iteration is the next one."""

    timesteps: Count
    came_from: str = msgspec.field(name="from")
    to: str
    reason: str
    task: TaskSettings = msgspec.field(name="lesson")


class PhaseChanged(_TaskChanged, frozen=True, kw_only=True):
    """from, to: the phases' profiles."""


class StageChanged(_TaskChanged, frozen=True, kw_only=True):
    """from, to: the stages' names."""


class PlannedCriterion(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion of promotion: `curriculum/<name>` is the metric of its value, `curriculum/<name>_missing` of the distance."""

    name: str  # as the profile has it
    label: str
    unit: str
    value: Figure  # to be reached
    less: bool  # at most, not at least


class PhasePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a campaign as the profile plans it."""

    profile: str
    label: str
    number: Count  # of the bot's education, as milestones are named
    until: list[PlannedCriterion]
    min_steps: Count  # timesteps that it lasts at least
    max_steps: Count | None  # timesteps after which the next one begins in any case
    changes: list[str]  # what it changes of the phase before it: `rewards.goal.weight 20 → 25`
    schedules: list[str]  # what changes by timesteps within it, in words


class StagePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of match play."""

    name: str
    until: Count | None  # timesteps of the run; None: the last


class CurriculumPlanned(_Record, frozen=True, kw_only=True):
    """What the profile plans to change as the bot learns; written when a trainer opens the run. All empty: nothing."""

    timesteps: Count
    phases: list[PhasePlan]
    stages: list[StagePlan]
    window: Count  # newest iterations over which skill is measured
    schedules: list[str]  # of a profile without phases


class Switched(msgspec.Struct, frozen=True, kw_only=True):
    """A debug flag that changes what is learned from, on or off. worker: None: for all, in the place of each one's own."""

    flag: str
    on: bool
    worker: Count | None = None


_SWITCHED = re.compile(r"(\w+) (on|off)(?: in worker (\d+))?")


class SettingChanged(_Record, frozen=True, kw_only=True):
    """Somebody changed what or how is learned, and from here on it is in force."""

    timesteps: Count
    setting: str  # RATE_SETTING, ENTROPY_SETTING or weight_of a reward; of a flag its words: debug_turtled_start on
    value: Figure | None  # now; None of a flag
    by: str
    critic: Figure | None = None  # of a learning rate: the critic's beside it
    profile: bool = False  # taken back: as in the profile again
    switched: Switched | None = None  # of a flag; journals from before there was this field tell it in words only

    @property
    def switch(self) -> Switched | None:
        """The flag and whether it is on now; None of any other setting."""
        if self.switched is not None or self.value is not None:
            return self.switched
        words = _SWITCHED.fullmatch(self.setting)
        return words and Switched(flag=words[1], on=words[2] == "on", worker=int(words[3]) if words[3] else None)


class UpdateDropped(_Record, frozen=True, kw_only=True):
    """The non-finite guard kept an update from the weights."""

    iteration: Count
    timesteps: Count
    source: str  # which reward, observation index, worker, arena, loss or gradient
    in_a_row: Count


class WorkerStarted(_Record, frozen=True, kw_only=True):
    worker: Count
    pid: Count
    restarts: Count
    seconds: Figure  # from spawn to ready


class WorkerFailed(_Record, frozen=True, kw_only=True):
    worker: Count
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
    timesteps: Count
    bytes: Count
    held_seconds: Figure  # how long the training thread was held
    seconds: Figure  # until it was on disk


class CheckpointFailed(_Record, frozen=True, kw_only=True):
    kind: Literal["checkpoint", "milestone"]
    path: str
    reason: str


class CheckpointPruned(_Record, frozen=True, kw_only=True):
    path: str


class OpponentResult(msgspec.Struct, frozen=True, kw_only=True):
    """What all games of a state against one opponent say. win_rate and its 95 % interval in %, a draw half a win."""

    opponent: str
    games: Count
    win_rate: Figure
    low: Figure
    high: Figure


class StateEvaluated(_Record, frozen=True, kw_only=True):
    """A milestone or checkpoint was rated by games. before: the opponent that is the milestone before it; "" where none is."""

    timesteps: Count
    player: str  # as the log of games names it
    before: str
    opponents: list[OpponentResult]
    elo: Figure | None
    elo_error: Figure | None  # standard error against the anchor
    elo_low: Figure | None  # lower end of its 95 % interval; None also where games are too few to go by
    games: Count  # of this player, against anybody

    def metrics(self) -> dict[str, float | None]:
        """Keys `evaluation/…`."""
        found: dict[str, float | None] = {
            metric_keys.EVALUATED: self.timesteps,
            metric_keys.GAMES_RATED: self.games,
            metric_keys.ELO: self.elo,
            metric_keys.ELO_LOW: self.elo_low,
        }
        for each in self.opponents:
            name = "before" if each.opponent == self.before else each.opponent
            found |= {metric_keys.win_rate(name): each.win_rate, metric_keys.win_rate_low(name): each.low}
        return found

    @property
    def words(self) -> str:
        """`Elo 1,212 ± 67, scores 12 % of 20 games against rule, 61 % of 20 games against chaser`."""
        rating = f"Elo {elo(self.elo, DEVIATIONS * (self.elo_error or 0))}"
        return ", ".join(
            filter(None, (rating, scores((e.opponent, e.win_rate / 100, e.games) for e in self.opponents)))
        )


class LogLine(_Record, frozen=True, kw_only=True):
    level: Level
    source: str  # trainer, learner, worker, runs, control …
    message: str
    worker: Count | None = None
    flag: str = ""  # the debug flag that asked for it


class TableUsed(_Record, frozen=True, kw_only=True):
    """How often each row of the action table was chosen since the trainer started."""

    timesteps: Count
    table_hash: str
    counts: list[Count]  # by row


class PoolOpponent(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen opponent. share: its chance in a draw, 0–1. games: episodes that count, the newest; score: the learner's, a draw half.

    near: the opponent that it is a near-clone of, and the share of choices that differ.
    """

    name: str
    share: Figure
    games: Figure
    score: Figure | None
    near: tuple[str, Figure] | None = None


class PoolReported(_Record, frozen=True, kw_only=True):
    """The pool of frozen opponents as it is now, and how the learner fares; the likeliest first, the least likely left out."""

    timesteps: Count
    opponents: list[PoolOpponent]


class RunFinished(_Timed, frozen=True, kw_only=True):
    """A clean end. A run whose journal lacks it after its last RunStarted ended uncleanly."""

    timesteps: Count
    exit_code: Count
    reason: str


class CommandLogged(_Record, frozen=True, kw_only=True):
    """The audit line of one command: who asked, and what came of it."""

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
    | StateEvaluated
    | LogLine
    | TableUsed
    | PoolReported
    | RunFinished
    | CommandLogged
)


def change_words(change: SettingChanged) -> str:
    """As charts and logs name it: `learning rate 0.0001`."""
    return setting_words(change.setting, change.value)


def epochs_words(header: RunStarted) -> str:
    """`2 epochs`, and whether rows are learned from as their mirror images."""
    return plural(header.epochs, "epoch") + (", mirror images" if header.ppo.get("mirror_augmentation") else "")


def setting_words(setting: str, value: float | None = None) -> str:
    """A record's setting as people read it: `entropy coefficient 0.005`, for entropy itself is a metric."""
    name = "entropy coefficient" if setting == ENTROPY_SETTING else setting
    return name if value is None else f"{name} {value:g}"


def state_word(state: str | None) -> str:
    """A trainer's state as people read it: updating, for learning is what a bot does."""
    return "updating" if state == "learning" else state or "of no known state"


def end_words(end: RunFinished) -> str:
    """As logs and notices tell it: `stopped at 35,840 timesteps: Ctrl-C`."""
    how, _, why = end.reason.partition(": ")
    how, why = (how, why) if why and how in ("stopped", "finished", "failed") else ("ended", end.reason)
    return f"{how} at {end.timesteps:,} timesteps: {why}"


_encoder = msgspec.json.Encoder(enc_hook=plain)
_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def encode(record: Record) -> bytes:
    """One JSON line, without the newline."""
    return _encoder.encode(record)


def decode(line: bytes) -> Record | None:
    """The record of one line; None where it is torn, foreign or of an unknown kind."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
