"""What a profile may say: pydantic models with each key's meaning, unit, range and default.

They check one value at a time; `rules` has what several keys must agree on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from rltui.formatting import LARGEST
from rltui.registry import MIRROR

SCHEMA: Final = 1
LARGEST_WEIGHT = 1e38  # of a weight: rewards are float32, and the journal's header tells no figure beyond 1e100


def weight_schedule(value: Any) -> Any:
    """A list of points as ((timesteps, weight), …); anything else as it is, for others to judge.

    PydanticCustomError says which point is wrong, and why; and that a plain weight is too large.
    """
    if _is_number(value) and LARGEST_WEIGHT < abs(value) < math.inf:
        raise PydanticCustomError("weight_too_large", f"too large, at most {LARGEST_WEIGHT:g}")
    if not isinstance(value, list | tuple):
        return value
    problem = next(_problems(value), "")
    if problem:
        raise PydanticCustomError("weight_schedule", problem)
    return tuple((int(timesteps), float(weight)) for timesteps, weight in value)


def weight_points(weight: Any) -> tuple[tuple[int, float], ...]:
    """A schedule's points; a plain weight is one, at 0."""
    return weight if isinstance(weight, tuple) else ((0, weight),)


def _problems(value: Sequence[Any]) -> Iterator[str]:
    if not value:
        yield "a schedule without points"
    for number, point in enumerate(value, start=1):
        yield from (f"point {number}: {problem}" for problem in _of_point(point))
    for number, ((before, _), (after, _)) in enumerate(pairwise(value), start=2):
        if after <= before:
            yield f"point {number}: timesteps must rise, not {after:_} after {before:_}"


def _of_point(point: Any) -> Iterator[str]:
    if not isinstance(point, list | tuple) or len(point) != 2 or not all(map(_is_number, point)):
        yield "not [timesteps, weight]"
        return
    timesteps, weight = point
    if not (0 <= timesteps <= LARGEST and float(timesteps).is_integer()):
        yield f"timesteps must be a whole number, at least 0, not {timesteps}"
    if not -LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        finite = weight == weight and abs(weight) != math.inf
        yield f"the weight must be {f'{-LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}' if finite else 'finite'}, not {weight}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole_number(value: Any) -> Any:
    """5e6 and 5_000_000 are the same number of steps, though TOML calls the first one a float."""
    if isinstance(value, int | float) and LARGEST < abs(value) < math.inf:
        raise PydanticCustomError("uncountable", f"too large, at most {LARGEST:_}")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unit(name: str) -> dict[str, Any]:
    return {"unit": name}


Whole = Annotated[int, BeforeValidator(whole_number)]
AutoCount = Annotated[int, Field(ge=1, le=512), BeforeValidator(whole_number)] | Literal["auto"]
AutoRows = Annotated[int, Field(ge=1), BeforeValidator(whole_number)] | Literal["auto"]
Layer = Annotated[int, Field(ge=1, le=16384), BeforeValidator(whole_number)]
Layers = Annotated[tuple[Layer, ...], Field(min_length=1, max_length=16)]
Phase = Annotated[int, Field(ge=0, le=99), BeforeValidator(whole_number)]
Steps = Annotated[int, Field(ge=1), BeforeValidator(whole_number)]
Row = Annotated[int, Field(ge=0), BeforeValidator(whole_number)]


class Section(BaseModel):
    """One table of a profile: unknown keys are errors, types are not bent, NaN and infinity are no numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ComponentSection(Section):
    """A component's own parameters stand beside the keys declared here; `components.py` checks them."""

    model_config = ConfigDict(extra="allow")

    @property
    def options(self) -> dict[str, Any]:
        """The component's parameters as written."""
        return dict(self.model_extra or {})


class RunSection(Section):
    """One run of the trainer."""

    seed: Whole = Field(default=0, ge=0, le=2**31 - 1, description="Seed of resets, exploration and initial weights.")


class GameSection(Section):
    """Who plays, on what field."""

    blue: Whole = Field(default=1, ge=0, le=3, description="Blue cars.", json_schema_extra=_unit("cars"))
    orange: Whole = Field(default=1, ge=0, le=3, description="Orange cars.", json_schema_extra=_unit("cars"))
    opponent: str = Field(
        default=MIRROR,
        min_length=1,
        description="Who plays orange. mirror: the bot itself, learning from both sides. Else blue alone learns, against: "
        "checkpoints, the bot's own earlier states, drawn as [selfplay] says; a scripted player, idle, random, chaser or rule; "
        "or one saved bot, starter or as RUN/005M.",
    )
    meshes: str = Field(default="", description="Folder of collision meshes. Empty: those that come with rlgym.")


class ObsSection(ComponentSection):
    """What a car sees."""

    kind: str = Field(default="default", min_length=1, description="Registered observation, or path/to/file.py:Class.")
    stack: Whole = Field(
        default=1,
        ge=1,
        le=4,
        description="Observations of so many steps, the newest first, make one.",
        json_schema_extra=_unit("steps"),
    )
    normalize: bool = Field(
        default=False,
        description="Every number is shifted and scaled by its running mean and deviation, which are saved with the bot.",
    )


Button = Literal["jump", "boost", "handbrake"]


class ActionsSection(ComponentSection):
    """What a car can do, and what becomes of a choice before it reaches the game."""

    table: str = Field(
        default="rlgym",
        min_length=1,
        description="Registered action table, your own .csv or .npy file, module:function, or path/to/file.py:Class.",
    )
    legality: Literal["auto", "off", "mask", "fallback"] = Field(
        default="auto",
        description="Rows that can do nothing in a state. mask: they cannot be chosen; fallback: the choice becomes "
        "fallback_row; off: they are played; auto: mask for the hybrid table, off for all others.",
    )
    fallback_row: Row | None = Field(
        default=None, description="Row played for an illegal choice; all zeros. None: the table's idle row."
    )
    recovery_row: Row | None = Field(
        default=None, description="Row played for an illegal choice of a car on its roof. None: the fallback row."
    )
    clip: bool = Field(default=False, description="Values of the table beyond -1..1 are cut instead of refused.")
    sticky: Whole = Field(
        default=1,
        ge=1,
        le=120,
        description="A pressed button stays down at least so long.",
        json_schema_extra=_unit("steps"),
    )
    sticky_buttons: tuple[Button, ...] = Field(
        default=("jump", "boost", "handbrake"), description="The buttons that sticky is about."
    )


class ResetSection(ComponentSection):
    """One way in which episodes start."""

    kind: str = Field(min_length=1, description="Registered reset, or path/to/file.py:Class.")
    weight: float = Field(
        default=1.0, ge=0, description="Share of the episodes, relative to the other resets' weights."
    )


class TerminalSection(ComponentSection):
    """One way in which episodes end."""

    kind: str = Field(min_length=1, description="Registered terminal, or path/to/file.py:Class.")


WeightPoint = Annotated[tuple[int, float], Field(json_schema_extra={"words": "[timesteps, weight]"})]
Weight = Annotated[float | tuple[WeightPoint, ...], BeforeValidator(weight_schedule)]


class RewardSection(ComponentSection):
    """One term of the reward: `name = weight`, or `name = {weight = …, <its parameters>}`."""

    weight: Weight = Field(
        description="Factor of this term in the sum; negative for what should cost. A schedule is a list of "
        "[timesteps, weight], joined by straight lines: [[0, 1.0], [5_000_000, 0.2]]."
    )


class RewardOptionsSection(Section):
    """What becomes of all rewards together."""

    mode: Literal["none", "sparse", "dense", "hybrid"] = Field(
        default="none",
        description="Factors of whole categories. sparse: events alone; dense: little for events; hybrid: between; "
        "none: every weight as written.",
    )
    team_spirit: float = Field(
        default=0.0, ge=0, le=1, description="Share of a car's reward that is its team's mean. 0: each for itself."
    )
    zero_sum: bool = Field(default=False, description="The opponents' mean reward is taken off.")


class PolicySection(Section):
    """The net that chooses actions."""

    kind: Literal["discrete"] = Field(
        default="discrete", description="discrete: one choice among the rows of the action table."
    )
    layers: Layers = Field(default=(256, 256, 256), description="Neurons of each hidden layer.")


class CriticSection(Section):
    """The net that judges states."""

    layers: Layers = Field(default=(256, 256, 256), description="Neurons of each hidden layer.")


class PpoSection(Section):
    """The learning algorithm, in rlgym-ppo's shape."""

    # What is not of the schedule is handed over whole to learn.config.PPOConfig, whose fields have these names.

    learning_rate: float = Field(
        default=2e-4,
        ge=0,
        le=1,
        description="Learning rate of the policy. A bot that cannot score yet: 2e-4; scoring: 1e-4; dribbles and flicks: 0.8e-4 or less.",
    )
    critic_learning_rate: float = Field(
        default_factory=lambda data: float(data.get("learning_rate", 0.0)),
        ge=0,
        le=1,
        description="Learning rate of the critic.",
        json_schema_extra={"follows": "ppo.learning_rate"},
    )
    schedule: Literal["constant", "linear", "cosine", "kl_adaptive"] = Field(
        default="constant",
        description="How the learning rates change. linear, cosine: fall to learning_rate_floor over schedule_steps; "
        "kl_adaptive: rise and fall so that an update's KL stays near target_kl.",
    )
    schedule_steps: Whole = Field(
        default=10_000_000,
        ge=1,
        description="Timesteps over which linear and cosine fall.",
        json_schema_extra=_unit("timesteps"),
    )
    learning_rate_floor: float = Field(default=1e-5, ge=0, le=1, description="No schedule goes below this.")
    target_kl: float = Field(default=0.01, gt=0, le=1, description="What kl_adaptive aims at.")
    gamma: float = Field(
        default=0.99,
        ge=0,
        le=1,
        description="Discount of the future per step. Higher sees further ahead and learns more slowly.",
    )
    gae_lambda: float = Field(
        default=0.95, ge=0, le=1, description="Advantages: 0 trusts the critic, 1 trusts what was really earned."
    )
    clip_range: float = Field(default=0.2, gt=0, le=1, description="How far one update may move the odds of an action.")
    ent_coef: float = Field(
        default=0.01, ge=0, le=10, description="Pay for trying different actions (entropy in nats)."
    )
    epochs: Whole = Field(default=2, ge=1, le=100, description="Passes over the data in each update.")
    iteration: Whole = Field(
        default=50_000,
        ge=1,
        description="Timesteps collected before each update, at least.",
        json_schema_extra=_unit("timesteps"),
    )
    batch: Whole = Field(
        default_factory=lambda data: int(data.get("iteration", 1)),
        ge=1,
        description="Rows of one optimizer step. A last, smaller one is used too.",
        json_schema_extra={"unit": "timesteps", "follows": "ppo.iteration"},
    )
    minibatch: AutoRows = Field(
        default="auto",
        description="Rows worked on at a time: splits a batch to save memory and changes nothing else. auto: what fits.",
        json_schema_extra=_unit("timesteps"),
    )
    mirror_augmentation: bool = Field(
        default=False,
        description="Half of the rows are learned from as their left-right mirror images, in the next epoch the other half.",
    )
    buffer_iterations: Whole = Field(
        default=1, ge=1, le=100, description="Newest iterations learnt from. Above 1, older data is used again."
    )
    max_grad_norm: float = Field(default=0.5, gt=0, description="Longer gradients are shortened to this.")
    normalize_advantages: bool = Field(default=True, description="Advantages of a batch get mean 0 and deviation 1.")
    standardize_returns: bool = Field(
        default=True, description="Rewards are divided by the returns' running deviation."
    )
    reward_clip: float = Field(
        default=10.0, gt=0, description="Rewards, so divided, are cut to this; the cut share is reported."
    )


class PhaseEntry(Section):
    """One phase of a campaign: a profile, and when the bot has learned what it teaches."""

    profile: str = Field(min_length=1, description="Its rewards, resets, terminals, team sizes and [ppo] are used.")
    until: dict[str, float] = Field(
        default={},
        description="Metrics that the bot's own games must reach, as {kickoff_touches = 80}: all of them. win_rate_rule, "
        "win_rate_chaser (the score: a draw counts half), elo: by [evaluation], the lower end of the interval.",
    )
    min_steps: Whole = Field(
        default=0, ge=0, description="Timesteps that the phase lasts at least.", json_schema_extra=_unit("timesteps")
    )
    max_steps: Steps | None = Field(
        default=None,
        description="Timesteps after which the next phase begins whatever was reached. None: never.",
        json_schema_extra=_unit("timesteps"),
    )


class StageEntry(Section):
    """One stage of match play: team sizes and opponents, up to a number of timesteps of the run."""

    name: str = Field(default="", max_length=40, description="Shown beside the phase. Empty: the team sizes.")
    blue: Whole = Field(default=1, ge=0, le=3, description="Blue cars.", json_schema_extra=_unit("cars"))
    orange: Whole = Field(default=1, ge=0, le=3, description="Orange cars.", json_schema_extra=_unit("cars"))
    opponent: str = Field(default=MIRROR, min_length=1, description="As game.opponent.")
    until: Steps | None = Field(
        default=None, description="Timesteps of the run at which the next stage begins. None: the last stage."
    )
    resets: tuple[ResetSection, ...] = Field(default=(), description="In the place of the phase's. Empty: the phase's.")
    categories: dict[str, float] = Field(
        default={}, description="Factors of whole reward categories, as {aerial = 2.0}."
    )


class CurriculumSection(Section):
    """What changes as the bot learns. Empty: nothing does."""

    phases: tuple[PhaseEntry, ...] = Field(default=(), description="Profiles that the bot goes through, in order.")
    window: Whole = Field(
        default=10,
        ge=1,
        description="Newest iterations over which skill is measured.",
        json_schema_extra=_unit("iterations"),
    )
    stages: Literal["none", "three_stage", "five_stage", "aerial_focus"] | tuple[StageEntry, ...] = Field(
        default="none", description="Match stages: a known plan by name, or a list of your own."
    )
    stage_steps: tuple[Steps, ...] = Field(
        default=(), description="Ends of a known plan's stages in timesteps. Empty: its own."
    )


class MechanicsSection(Section):
    """A lane of its own for practice: a share of the arenas with other resets, terminals and rewards."""

    weight: float = Field(default=0.0, ge=0, le=0.9, description="Share of the arenas; 0.2 is usual from phase 4 on.")
    resets: tuple[ResetSection, ...] = Field(default=(), description="How its episodes start.")
    terminals: tuple[TerminalSection, ...] = Field(default=(), description="How they end. Empty: as in the match.")
    rewards: dict[str, RewardSection] = Field(default={}, description="What it pays. Empty: as in the match.")


class SelfplaySection(Section):
    """Games against frozen opponents: earlier states of the run, and scripted players."""

    enabled: bool = Field(
        default=False,
        description="Early it costs more than it brings: first the bot must touch the ball, score and get up.",
    )
    opponent_share: float = Field(
        default=0.2,
        gt=0,
        le=0.9,
        description="Share of the match's arenas in which an opponent plays a side, from kickoff to the end of the episode.",
    )
    strategy: Literal["uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"] = Field(
        default="elo_weighted",
        description="How opponents are drawn. elo_weighted: as strong as the bot; recent_weighted: the newest; "
        "difficulty_adjusted: score near one half; prioritized: those it loses to.",
    )
    window: float = Field(
        default=200.0,
        gt=0,
        le=10_000,
        description="elo_weighted: at this distance an opponent is drawn a third as often as an equal one.",
        json_schema_extra=_unit("Elo"),
    )
    refresh_steps: Whole = Field(
        default=1_000_000,
        ge=1,
        description="So often the pool is looked through and opponents are drawn anew; also at each milestone.",
        json_schema_extra=_unit("timesteps"),
    )
    checkpoints: bool = Field(
        default=False,
        description='Checkpoints too, not milestones alone; with opponent = "checkpoints" they always are.',
    )
    scripted: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), description='Scripted players in the pool, as "chaser".'
    )


class CollectSection(Section):
    """How games are played to collect data."""

    workers: AutoCount = Field(default="auto", description="Processes that play. auto: one for each processor core.")
    arenas: Whole = Field(default=32, ge=1, le=4096, description="Games that each worker plays at a time.")
    collector: Literal["local", "serial"] = Field(
        default="local",
        description="local: in worker processes; serial: the same, one after the other, in the trainer.",
    )
    inference: Literal["auto", "local", "central"] = Field(
        default="auto",
        description="Who evaluates the policy. local: each worker; central: the trainer, a batch for all workers; auto: "
        "central on a GPU.",
    )
    overlap: bool = Field(
        default=False,
        description="Learn while the next iteration is collected, with a policy one update old. Not advised: measured on a GPU, "
        "a fifth more timesteps a second, and after as many timesteps a bot that touches the ball a fifth as often.",
    )


class LearnerSection(Section):
    """Where learning runs."""

    device: Literal["auto", "cpu", "cuda"] = Field(default="auto", description="auto: the GPU if there is one.")
    threads: AutoCount = Field(default="auto", description="Threads of the update. auto: one for each processor core.")
    precision: Literal["auto", "float32", "tf32", "bf16", "fp16"] = Field(
        default="auto",
        description="Of the hidden layers' matrix products in the update; losses and weights are float32. "
        "auto: bf16 on a GPU or processor that has it (fp16 on Volta and Turing), else float32.",
    )
    compile: Literal["off", "on", "graphs"] = Field(
        default="off",
        description="The update by torch.compile, which takes a minute to begin; graphs: with CUDA graphs. "
        "Where it fails, training goes on without it.",
    )


class KeepSection(Section):
    """Which checkpoints stay on disk; milestones always do."""

    last: Whole = Field(
        default=5,
        ge=1,
        description="So many of the newest checkpoints stay; older ones are pruned, but for the best: by games where "
        "[evaluation] has some played, else by reward.",
    )


class EvaluationSection(Section):
    """Games of the milestones, played while training goes on, in one process of the lowest priority."""

    games: Whole = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Games of each milestone against rule, against chaser and against the milestone before. 0: none.",
        json_schema_extra=_unit("games"),
    )
    every_checkpoints: Whole = Field(
        default=0,
        ge=0,
        description="Every so many checkpoints one is evaluated too, where it has time. 0: milestones only.",
    )
    seconds: float = Field(default=300.0, ge=1, le=3600, description="Of play in a game.", json_schema_extra=_unit("s"))


class WorkersSection(Section):
    """Care for the worker processes."""

    timeout_s: float = Field(
        default=30.0,
        ge=1,
        le=3600,
        description="A worker that hangs for longer is restarted; one that is stopped, or gets no core, is waited for.",
        json_schema_extra=_unit("s"),
    )


class RenderSection(Section):
    """The viewer: a game of the newest weights in real time, in a process of its own."""

    at_start: bool = Field(
        default=False, description="Whether it plays from the start; else from `V` in the cockpit on."
    )
    rocketsimvis: bool = Field(default=True, description="Whether it sends to RocketSimVis, by UDP.")
    host: str = Field(default="127.0.0.1", min_length=1, max_length=255, description="Where RocketSimVis runs.")
    port: Whole = Field(default=9273, ge=1, le=65_535, description="The port RocketSimVis listens on.")


class LogSection(Section):
    """Logs and journals, and the metrics for other programs, written beside training."""

    rotate_mb: Whole = Field(
        default=32,
        ge=1,
        le=2_000,
        description="A journal or log that grows beyond this is put aside and a new one begun.",
        json_schema_extra=_unit("MB"),
    )
    csv: bool = Field(default=False, description="The metrics as a table: metrics.csv in the run's folder.")
    tensorboard: bool = Field(default=False, description="The metrics for TensorBoard, in the run's folder.")
    wandb: bool = Field(
        default=False,
        description="The metrics to Weights & Biases; without login or network offline, in the run's folder.",
    )
    wandb_project: str = Field(default="rltui", min_length=1, max_length=128, description="W&B's project.")


class Profile(Section):
    """A whole profile, defaults filled in."""

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema", description="Version of this file's layout.")
    label: str = Field(
        default="",
        max_length=40,
        pattern=r"^[A-Za-z0-9_-]*$",
        description="Name of the milestones' folder, as in Phase1-BallTouching. Empty: the profile's name.",
    )
    phase: Phase | None = Field(
        default=None, description="Stage of the bot's education, 1 touches the ball … 4 early aerials."
    )
    description: str = Field(default="", max_length=500, description="One sentence for those who choose a profile.")
    author: str = Field(default="", max_length=100, description="Goes into each checkpoint. Empty: your user name.")
    env: str = Field(
        default="",
        description="Your own environment in the place of the game: path/to/file.py:build_env, which returns an RLGym or a "
        "Gymnasium environment, or gymnasium:CartPole-v1. Empty: the game.",
    )
    tick_skip: Whole = Field(
        default=8,
        ge=1,
        le=120,
        description="Physics ticks of each step; 8 is 15 steps a second.",
        json_schema_extra=_unit("ticks"),
    )
    action_delay_ticks: Whole = Field(
        default=1,
        ge=0,
        le=120,
        description="An action takes effect this late; 1 as in the real game.",
        json_schema_extra=_unit("ticks"),
    )
    milestone_interval: Whole = Field(
        default=5_000_000,
        ge=1,
        description="A milestone, a copy that is kept for ever, is made each time so many timesteps are done.",
        json_schema_extra=_unit("timesteps"),
    )
    save_every: Whole = Field(
        default=250_000,
        ge=1,
        description="A checkpoint is written each time so many timesteps are done.",
        json_schema_extra=_unit("timesteps"),
    )
    resets: tuple[ResetSection, ...] = Field(
        default=(ResetSection(kind="kickoff"),), min_length=1, description="How episodes start, mixed by weight."
    )
    terminals: tuple[TerminalSection, ...] = Field(
        default=(
            TerminalSection(kind="goal"),
            TerminalSection.model_validate({"kind": "no_touch", "seconds": 15}),
            TerminalSection.model_validate({"kind": "timeout", "seconds": 300}),
        ),
        min_length=1,
        description="How episodes end: whichever comes first.",
    )
    run: RunSection = RunSection()
    game: GameSection = GameSection()
    obs: ObsSection = ObsSection()
    actions: ActionsSection = ActionsSection()
    rewards: dict[str, RewardSection] = Field(
        default={}, min_length=1, description="What the bot is paid for, by name."
    )
    reward_options: RewardOptionsSection = RewardOptionsSection()
    curriculum: CurriculumSection = CurriculumSection()
    mechanics: MechanicsSection = MechanicsSection()
    selfplay: SelfplaySection = SelfplaySection()
    policy: PolicySection = PolicySection()
    critic: CriticSection = CriticSection()
    ppo: PpoSection = PpoSection()
    collect: CollectSection = CollectSection()
    learner: LearnerSection = LearnerSection()
    keep: KeepSection = KeepSection()
    evaluation: EvaluationSection = EvaluationSection()
    workers: WorkersSection = WorkersSection()
    render: RenderSection = RenderSection()
    log: LogSection = LogSection()

    _name: str = PrivateAttr("profile")
    _path: Path | None = PrivateAttr(None)
    _phases: tuple[Profile, ...] = PrivateAttr(())

    @property
    def name(self) -> str:
        """The file's name without .toml, or "profile" when it came from no file."""
        return self._name

    @property
    def path(self) -> Path | None:
        """The file it was read from."""
        return self._path

    def called(self, name: str) -> Profile:
        """The same under another name: a stored file's is not the profile's."""
        profile = self.model_copy()
        profile._name = name
        return profile

    @property
    def phases(self) -> tuple[Profile, ...]:
        """The profiles that `curriculum.phases` names, in order. The first one's rewards, resets … are this one's own."""
        return self._phases
