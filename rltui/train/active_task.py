"""Learner, collector and config in force; live overrides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rltui.env.spec import Weighted
from rltui.env.stats import EpisodeStats
from rltui.events import metric_keys
from rltui.events.episode_reward import WEIGHT
from rltui.events.records import ENTROPY, RATE, setting_words, weight_of
from rltui.learn.ppo import PPOLearner
from rltui.learn.schedules import LearningRates, Schedule
from rltui.profile.usual_ranges import entropy_words, rate_words
from rltui.runs.trainer_state import OverrideState, RateState, TrainerState
from rltui.train.collect.collector import Collector
from rltui.train.config import ResolvedConfig
from rltui.train.curriculum import CurriculumMove
from rltui.train.setup import StartContext


def carried_on(schedule: Schedule, state: RateState | None) -> tuple[LearningRates, str]:
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
                f"learning rate {state.override:g}, set by hand, goes on: the profile's has not changed since",
            )
        words = f"the profile's learning rate, which has changed, wins over {state.override:g}, set by hand"
        return LearningRates(schedule), words
    if state.adapted is not None and schedule.kind == "kl_adaptive":
        if unchanged:
            return LearningRates(schedule, state.adapted), f"learning rate {state.adapted:g} goes on as KL had set it"
        words = f"the profile's learning rate, which has changed, wins over {state.adapted:g}, as KL had set it"
        return LearningRates(schedule), words
    return LearningRates(schedule), ""


def stored(rates: LearningRates) -> RateState:
    """For a checkpoint."""
    return RateState(words=rates.schedule.text, adapted=rates.adapted, override=rates.override)


# Overrides: the entropy coefficient and reward weights as set by hand, in the place of the profile's.
#
# Each holds until it is taken back, or until what the profile says of it changes: at a resume, or with the next phase.


class Overrides:
    """Of one lesson: values by what they set, `entropy` or `reward <name>`."""

    def __init__(self, lesson: ResolvedConfig) -> None:
        self._profile_entropy: float = lesson.ppo.ent_coef
        self._rewards = lesson.spec.weighed
        self.values: dict[str, float] = {}

    @classmethod
    def carried_on(cls, lesson: ResolvedConfig, stored: Mapping[str, OverrideState]) -> tuple[Overrides, list[str]]:
        """Those that still hold in this lesson, and which word won, in words."""
        made, notices = cls(lesson), []
        words = made._words()
        for setting, state in stored.items():
            said = f"{setting_words(setting, state.value)}, set by hand"
            if setting not in words:
                notices.append(f"{said}, ends: the profile has no such reward any more")
            elif words[setting] == state.words:
                made.values[setting] = state.value
                notices.append(f"{said}, goes on: the profile's has not changed since")
            else:
                notices.append(
                    f"the profile's {setting_words(setting)}, which has changed, wins over {state.value:g}, set by hand"
                )
        return made, notices

    def stored(self) -> dict[str, OverrideState]:
        """For a checkpoint, or the next lesson."""
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
        return self.values.get(ENTROPY, self._profile_entropy)

    @property
    def reward_names(self) -> list[str]:
        """Whose weights can be set."""
        return list(self._rewards)

    @property
    def weights(self) -> dict[str, float]:
        """Of rewards, those set by hand."""
        return {name: self.values[weight_of(name)] for name in self._rewards if weight_of(name) in self.values}

    def weight(self, name: str, timesteps: int) -> float:
        """In force after so many timesteps of the lesson."""
        return self.values.get(weight_of(name), self._rewards[name].weight_at(timesteps))

    def metrics(self, timesteps: int) -> dict[str, float | None]:
        """`train/ent_coef`, and `weight/<name>` of every reward whose weight is not just as the profile has it."""
        found: dict[str, float | None] = {metric_keys.ENT_COEF: self.entropy}
        for name, item in self._rewards.items():
            if item.schedule or weight_of(name) in self.values:
                found[f"{WEIGHT}{name}"] = self.weight(name, timesteps)
        return found

    def _words(self) -> dict[str, str]:
        rewards = {weight_of(name): _words_of(item) for name, item in self._rewards.items()}
        return {ENTROPY: repr(self._profile_entropy), **rewards}


def _words_of(item: Weighted) -> str:
    return repr(item.schedule or item.weight)


Opener = Callable[[ResolvedConfig, int], Collector]


@dataclass(frozen=True)
class Place:
    """A phase, by its number from 0 and its profile's name, and a stage; empty where there is none."""

    number: int
    phase: str
    stage: str


class ActiveTask:
    """Learner, collector and blueprint of the lesson in force. One learner goes through all lessons."""

    def __init__(self, prepared: StartContext, learner: PPOLearner, open_collector: Opener) -> None:
        """open_collector(blueprint, timesteps): a collector, not started, that takes the place of any before it."""
        self.curriculum, self.blueprint, self.learner = prepared.curriculum, prepared.blueprint, learner
        self._open = open_collector
        # called with a collector that is about to start, and the reward weights set by hand that hold with it
        self.on_opened: Callable[[Collector, dict[str, float]], None] = lambda collector, weights: None
        self.collector = open_collector(self.blueprint, prepared.plan.timesteps)
        state = prepared.state
        self.rates, words = carried_on(self.blueprint.schedule, state.learning_rate if state else None)
        if not words and state is not None and self.blueprint.schedule.kind != "constant":
            words = self._scheduled(prepared.plan.timesteps)
        self.overrides, by_hand = Overrides.carried_on(self.blueprint, state.overrides if state else {})
        self._set_entropy()
        self.notices = [*prepared.curriculum.notices, *([words] if words else []), *by_hand]

    def _scheduled(self, timesteps: int) -> str:
        rate, kind = self.rates.at(self.lasted(timesteps)).policy, self.blueprint.schedule.kind
        return f"learning rate {rate:g}: the profile's schedule ({kind}) at {self.lasted(timesteps):,} timesteps"

    @property
    def place(self) -> Place:
        """Where the run stands in its curriculum."""
        return Place(self.curriculum.phase, self.curriculum.phase_name, self.curriculum.stage_name or "")

    def lasted(self, timesteps: int) -> int:
        """Timesteps of the phase, by which its schedules go; of the whole run where there are no phases."""
        return timesteps - self.curriculum.started

    def set_rates(self, timesteps: int) -> None:
        """Before an update, after so many timesteps of the run."""
        rates = self.rates.at(self.lasted(timesteps))
        self.learner.set_rates(rates.policy, rates.critic)

    def override(self, rate: float | None, timesteps: int) -> str:
        """A rate by hand from the next update on, None: the profile's again. What it means, in words."""
        before = self.rates.at(self.lasted(timesteps)).policy
        self.rates.override = rate
        now = self.rates.at(self.lasted(timesteps))
        whose = "by the profile's schedule" if rate is None else "until the profile's changes"
        doubt = "" if rate is None else rate_words(rate, self.blueprint.profile.phase)
        return f"learning rate {now.policy:g} instead of {before:g}, critic {now.critic:g}, {whose}{_behind(doubt)}"

    def override_entropy(self, ent_coef: float | None) -> str:
        """ppo.ent_coef by hand from the next update on, None: the profile's again. What it means, in words."""
        before = self.overrides.entropy
        self.overrides.put(ENTROPY, ent_coef)
        self._set_entropy()
        whose = "as in the profile" if ent_coef is None else "until the profile's changes"
        doubt = "" if ent_coef is None else entropy_words(ent_coef)
        return f"entropy coefficient {self.overrides.entropy:g} instead of {before:g}, {whose}{_behind(doubt)}"

    def override_weight(self, name: str, weight: float | None, timesteps: int) -> str:
        """A reward's weight by hand, None: the profile's again. The workers have to be told. What it means, in words."""
        before = self.overrides.weight(name, self.lasted(timesteps))
        self.overrides.put(weight_of(name), weight)
        now = self.overrides.weight(name, self.lasted(timesteps))
        whose = "as in the profile" if weight is None else "until the profile's changes"
        return f"{name} {now:g} instead of {before:g}, {whose}"

    @property
    def set_by_hand(self) -> dict[str, float]:
        """All that is in force in the place of the profile's, by its setting as in SettingChanged."""
        rate = {} if self.rates.override is None else {RATE: self.rates.override}
        return {**rate, **self.overrides.values}

    def _set_entropy(self) -> None:
        self.learner.set_entropy(self.overrides.entropy)

    def learned(self, stats: EpisodeStats, metrics: Mapping[str, float]) -> None:
        """An iteration is over; stats: of its match; metrics: the update's, empty where it was dropped."""
        self.rates.learned(metrics.get(metric_keys.APPROX_KL))
        self.curriculum.learned(stats)

    def go_on(self, move: CurriculumMove, timesteps: int, poll: Callable[[], None]) -> None:
        """Other workers, another configuration, the same learner. RltuiError, and the place in the curriculum is the old
        one, where the new workers do not start.
        """
        blueprint = ResolvedConfig.draw(self.curriculum.lesson_after(move))
        overrides, by_hand = Overrides.carried_on(blueprint, self.overrides.stored())
        self.collector.close()
        self.collector = self._open(blueprint, timesteps)
        self.on_opened(self.collector, overrides.weights)
        self.collector.start(poll)
        self.blueprint = blueprint
        self.learner.configure(blueprint.ppo)
        self.rates, words = carried_on(blueprint.schedule, stored(self.rates))
        self.overrides = overrides
        self._set_entropy()
        self.notices = [*([words] if words else []), *by_hand]
        self.curriculum.go(move, timesteps)

    def state(self) -> TrainerState:
        """For a checkpoint."""
        return TrainerState(
            learning_rate=stored(self.rates), curriculum=self.curriculum.state(), overrides=self.overrides.stored()
        )


def _behind(doubt: str) -> str:
    return f" ({doubt})" if doubt else ""
