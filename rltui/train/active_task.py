"""The task in force (config, learner, collector, worker settings), what is set by hand in it, and where the loop stands.

A setting by hand holds until it is taken back, or until what the profile says of it changes: at a resume, or with the next
task.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rltui.env.stats import EpisodeStats
from rltui.events import metric_keys, records
from rltui.events.episode_reward import WEIGHT, RewardWindow
from rltui.events.metric_health import entropy_words, rate_words
from rltui.events.records import (
    ENTROPY_SETTING,
    RATE_SETTING,
    Record,
    StateChanged,
    StateEvaluated,
    setting_words,
    weight_of,
)
from rltui.league.pool import OpponentPool
from rltui.learn.ppo import PPOLearner
from rltui.learn.schedules import LearningRates, Schedule
from rltui.runs.trainer_state import OverrideState, RateState, TrainerState
from rltui.train.collect.collector import Collector
from rltui.train.collect.worker_settings import LINES_PER_SECOND, WorkerSettings
from rltui.train.config import ResolvedConfig
from rltui.train.curriculum import CurriculumMove
from rltui.train.setup import StartContext

RUNNING = {"collecting", "learning"}
HOLDS = "set by hand, still holds"
Opener = Callable[[ResolvedConfig, int], Collector]


@dataclass
class LoopState:
    """Where the training loop stands; the loop alone writes it. publish: gets changes of state, for the journal."""

    publish: Callable[[Record], None]
    state: records.TrainerState = "starting"
    reason: str = ""
    iteration: int = 0
    timesteps: int = 0
    mean_reward: float | None = None  # of the checkpoint resumed from
    rewards: RewardWindow = field(default_factory=RewardWindow)  # of the journal so far
    start: int = 0  # the number of this start
    earlier: float = 0.0  # seconds that the run's earlier sessions took
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._begun = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds that the run has taken, earlier sessions included."""
        return self.earlier + self.clock() - self._begun

    def enter(self, state: records.TrainerState, reason: str = "") -> None:
        """Change the state. The swing between collecting and learning is live state, not history."""
        before, self.state, self.reason = self.state, state, reason
        if state != before and not {state, before} <= RUNNING:
            self.publish(StateChanged(time=time.time(), state=state, reason=reason))


def resumed_rates(schedule: Schedule, state: RateState | None) -> tuple[LearningRates, str]:
    """The rates from here on, and which word won; no words where nobody had another one.

    A rate set by hand holds while the profile says of learning rates what it said then; so does what KL has made of one.
    """
    if state is None:
        return LearningRates(schedule), ""
    unchanged = state.words == schedule.text
    if state.override is not None:
        if unchanged:
            return (
                LearningRates(schedule, state.adapted, state.override),
                f"learning rate {state.override:g}, {HOLDS}",
            )
        words = f"the profile's learning rate, changed since, replaces {state.override:g}, set by hand"
        return LearningRates(schedule), words
    if state.adapted is not None and schedule.kind == "kl_adaptive":
        if unchanged:
            return LearningRates(schedule, state.adapted), f"learning rate {state.adapted:g}, set by KL, still holds"
        words = f"the profile's learning rate, changed since, replaces {state.adapted:g}, set by KL"
        return LearningRates(schedule), words
    return LearningRates(schedule), ""


def rate_state(rates: LearningRates) -> RateState:
    """For a checkpoint."""
    return RateState(words=rates.schedule.text, adapted=rates.adapted, override=rates.override)


class Overrides:
    """Entropy coefficient and reward weights set by hand in one task, by what they set: `entropy` or `reward <name>`."""

    def __init__(self, config: ResolvedConfig) -> None:
        self._profile_entropy: float = config.ppo.ent_coef
        self._rewards = config.spec.weighed
        self.values: dict[str, float] = {}

    @classmethod
    def resumed(cls, config: ResolvedConfig, stored: Mapping[str, OverrideState]) -> tuple[Overrides, list[str]]:
        """Those that still hold in this task, and which word won, in words."""
        made, notices = cls(config), []
        words = made._words()
        for setting, state in stored.items():
            by_hand = setting_words(setting, state.value)
            if setting not in words:
                notices.append(f"{by_hand}, set by hand, ends: the profile has no such reward now")
            elif words[setting] == state.words:
                made.values[setting] = state.value
                notices.append(f"{by_hand}, {HOLDS}")
            else:
                notices.append(
                    f"the profile's {setting_words(setting)}, changed since, replaces {state.value:g}, set by hand"
                )
        return made, notices

    def stored(self) -> dict[str, OverrideState]:
        """For a checkpoint, or the next task."""
        words = self._words()
        return {setting: OverrideState(words=words[setting], value=value) for setting, value in self.values.items()}

    def put(self, setting: str, value: float | None) -> None:
        """None: the profile's again."""
        if value is None:
            self.values.pop(setting, None)
        else:
            self.values[setting] = value

    @property
    def entropy(self) -> float:
        """The coefficient in force."""
        return self.values.get(ENTROPY_SETTING, self._profile_entropy)

    @property
    def reward_names(self) -> list[str]:
        """Whose weights can be set."""
        return list(self._rewards)

    @property
    def weights(self) -> dict[str, float]:
        """Of rewards, those set by hand."""
        return {name: self.values[weight_of(name)] for name in self._rewards if weight_of(name) in self.values}

    def weight(self, name: str, timesteps: int) -> float:
        """In force after so many timesteps of the task."""
        return self.values.get(weight_of(name), self._rewards[name].weight_at(timesteps))

    def metrics(self, timesteps: int) -> dict[str, float | None]:
        """`train/ent_coef`, and `weight/<name>` of every reward whose weight is not just as the profile has it."""
        found: dict[str, float | None] = {metric_keys.ENT_COEF: self.entropy}
        for name, item in self._rewards.items():
            if item.schedule or weight_of(name) in self.values:
                found[f"{WEIGHT}{name}"] = self.weight(name, timesteps)
        return found

    def _words(self) -> dict[str, str]:
        rewards = {weight_of(name): item.said for name, item in self._rewards.items()}
        return {ENTROPY_SETTING: repr(self._profile_entropy), **rewards}


@dataclass(frozen=True)
class Place:
    """A phase, by its number from 0 and its profile's name, and a stage; empty where there is none."""

    number: int
    phase: str
    stage: str


class ActiveTask:
    """Config, learner, collector and worker settings in force. One learner and one pool of opponents go through all tasks. context:
    of the start.
    """

    def __init__(self, context: StartContext, learner: PPOLearner, open_collector: Opener) -> None:
        """open_collector(config, timesteps): a collector, not started, that takes the place of any before it."""
        self.context, self.learner = context, learner
        self.curriculum, self.config = context.curriculum, context.config
        self._open = open_collector
        self.collector = open_collector(self.config, context.plan.timesteps)
        self.settings = WorkerSettings(self.collector, 0.0 if context.options.debug else LINES_PER_SECOND)
        state = context.state
        self.pool = OpponentPool(earlier=state.pool if state else None)
        self.rates, words = resumed_rates(self.config.schedule, state.learning_rate if state else None)
        if not words and state is not None and self.config.schedule.kind != "constant":
            words = self._scheduled(context.plan.timesteps)
        self.overrides, by_hand = Overrides.resumed(self.config, state.overrides if state else {})
        if self.overrides.weights:
            self.settings.set_weights(self.overrides.weights)
        self._set_entropy()
        self.evaluated: StateEvaluated | None = None
        if state is not None and state.evaluated is not None and context.profile.evaluation.games:
            self.hear(state.evaluated)
        found = [*context.curriculum.notices, *([words] if words else []), *by_hand]
        self.notices = [notice for notice in found if not notice.endswith(HOLDS)]  # the plan's warnings name those

    def _scheduled(self, timesteps: int) -> str:
        rate, kind = self.rates.at(self.phase_timesteps(timesteps)).policy, self.config.schedule.kind
        return (
            f"learning rate {rate:g}: the profile's schedule ({kind}) at {self.phase_timesteps(timesteps):,} timesteps"
        )

    @property
    def place(self) -> Place:
        """Where the run stands in its curriculum."""
        return Place(self.curriculum.phase, self.curriculum.phase_name, self.curriculum.stage_name or "")

    def phase_timesteps(self, timesteps: int) -> int:
        """Timesteps of the phase, by which its schedules go; of the whole run where there are no phases."""
        return timesteps - self.curriculum.started

    def set_rates(self, timesteps: int) -> None:
        """Before an update, after so many timesteps of the run."""
        rates = self.rates.at(self.phase_timesteps(timesteps))
        self.learner.set_rates(rates.policy, rates.critic)

    def override(self, rate: float | None, timesteps: int) -> str:
        """A rate by hand from the next update on, None: the profile's again. What it means, in words behind the command's."""
        before = self.rates.at(self.phase_timesteps(timesteps)).policy
        self.rates.override = rate
        now = self.rates.at(self.phase_timesteps(timesteps))
        whose = "by the profile's schedule" if rate is None else "until taken back"
        doubt = "" if rate is None else rate_words(rate, self.config.profile.phase)
        return f"{now.policy:g} instead of {before:g}, critic {now.critic:g}, {whose}{_behind(doubt)}"

    def override_entropy(self, ent_coef: float | None) -> str:
        """ppo.ent_coef by hand from the next update on, None: the profile's again. What it means, in words."""
        before = self.overrides.entropy
        self.overrides.put(ENTROPY_SETTING, ent_coef)
        self._set_entropy()
        whose = "as in the profile" if ent_coef is None else "until taken back"
        doubt = "" if ent_coef is None else entropy_words(ent_coef)
        return f"{self.overrides.entropy:g} instead of {before:g}, {whose}{_behind(doubt)}"

    def override_weight(self, name: str, weight: float | None, timesteps: int) -> str:
        """A reward's weight by hand, None: the profile's again. The workers have to be sent it. What it means, in words."""
        before = self.overrides.weight(name, self.phase_timesteps(timesteps))
        self.overrides.put(weight_of(name), weight)
        now = self.overrides.weight(name, self.phase_timesteps(timesteps))
        whose = "as in the profile" if weight is None else "until taken back"
        return f"{now:g} instead of {before:g}, {whose}"

    @property
    def set_by_hand(self) -> dict[str, float]:
        """All that is in force in the place of the profile's, by its setting as in SettingChanged."""
        rate = {} if self.rates.override is None else {RATE_SETTING: self.rates.override}
        return {**rate, **self.overrides.values}

    def _set_entropy(self) -> None:
        self.learner.set_entropy(self.overrides.entropy)

    def learned(self, stats: EpisodeStats, metrics: Mapping[str, float]) -> None:
        """An iteration is over; stats: of its match; metrics: the update's, empty where it was dropped."""
        self.rates.learned(metrics.get(metric_keys.APPROX_KL))
        self.curriculum.learned(stats)

    def hear(self, found: StateEvaluated) -> None:
        """A state was rated by games; an earlier one than is known, which a start takes up again, says nothing new."""
        if self.evaluated is None or found.timesteps >= self.evaluated.timesteps:
            self.evaluated = found
            self.curriculum.evaluated(found)

    def go_on(self, move: CurriculumMove, timesteps: int, poll: Callable[[], None]) -> None:
        """Begin the next task: other workers, another configuration, the same learner. RltuiError, and the place in the curriculum is the old
        one, where the new workers do not start.
        """
        config = ResolvedConfig.resolve(self.curriculum.profile_after(move))
        overrides, by_hand = Overrides.resumed(config, self.overrides.stored())
        self.collector.close()
        self.collector = self._open(config, timesteps)
        self.settings.use_collector(self.collector, overrides.weights)
        self.collector.start(poll)
        self.config = config
        self.learner.configure(config.ppo)
        self.rates, words = resumed_rates(config.schedule, rate_state(self.rates))
        self.overrides = overrides
        self._set_entropy()
        self.notices = [*([words] if words else []), *by_hand]
        self.curriculum.go(move, timesteps)

    def state(self) -> TrainerState:
        """For a checkpoint."""
        return TrainerState(
            learning_rate=rate_state(self.rates),
            curriculum=self.curriculum.state(),
            overrides=self.overrides.stored(),
            evaluated=self.evaluated,
            pool=self.pool.state(),
        )


def _behind(doubt: str) -> str:
    return f" ({doubt})" if doubt else ""
