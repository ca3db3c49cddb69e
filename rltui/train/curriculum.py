"""Curriculum: where a run stands among its profile's phases and stages, and when it goes on.

Phases follow each other by skill, by steps or by hand; stages by the run's timesteps.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from rltui import formatting
from rltui.env.skill_metrics import skill_metrics
from rltui.env.stats import EpisodeStats
from rltui.events import metric_keys
from rltui.events.game_record import LEAST_GAMES
from rltui.events.metrics import BY_KEY, criterion_by_games
from rltui.events.promotion import CURRICULUM, MISSING
from rltui.events.records import CurriculumPlanned, PhasePlan, PlannedCriterion, StagePlan, StateEvaluated
from rltui.learn.schedules import Schedule
from rltui.profile.curriculum import phase_number, stage_at, stage_name, stages_of, task_profile
from rltui.profile.models import PhaseEntry, Profile, weight_points
from rltui.profile.render import differences
from rltui.profile.rules import metric_key
from rltui.runs.trainer_state import CurriculumState

ORDER = ("rewards", "game", "resets", "terminals", "ppo")  # of the sections, in the description of a phase
UNLISTED = ("label", "phase", "description")  # they name a phase and change nothing


@dataclass(frozen=True)
class Criterion:
    """A metric and what it must reach: at least, or at most where less is better."""

    name: str  # as the profile has it
    key: str  # of the metric
    wanted: float

    def missing(self, value: float) -> float:
        """How far away; 0 where it is reached."""
        away = value - self.wanted if BY_KEY[self.key].good == "down" else self.wanted - value
        return max(0.0, away)

    def describe(self, value: float) -> str:
        """`kickoff touches 83.1 (80 wanted)`."""
        shown = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        return f"{BY_KEY[self.key].label} {shown} ({self.wanted:g} wanted)"


def criteria(until: Mapping[str, float]) -> tuple[Criterion, ...]:
    """A phase's, from the profile, which has been checked."""
    return tuple(Criterion(name, metric_key(name) or name, wanted) for name, wanted in until.items())


class SkillWindow:
    """The newest iterations' statistics. A ratio is that of the sums, so that an iteration counts by what it holds."""

    def __init__(self, iterations: int, wanted: tuple[Criterion, ...]) -> None:
        self.wanted = wanted
        self.by_play = tuple(
            one for one in wanted if criterion_by_games(one.name) is None
        )  # the bot's own, in training
        self.by_games: Mapping[str, float | None] = {}  # of the newest state of this phase that was rated by games
        self._stats: deque[EpisodeStats] = deque(maxlen=iterations)

    def add(self, stats: EpisodeStats) -> None:
        """One iteration of the match, all workers together; forgotten at once where nothing is wanted of it."""
        if self.by_play:
            self._stats.append(stats)

    @property
    def reached(self) -> bool:
        """Whether everything that is wanted is there, and the window full where it counts. Nothing wanted is nothing reached."""
        full = not self.by_play or len(self._stats) == self._stats.maxlen
        return full and bool(self.wanted) and all(value == 0.0 for _, value in self._missing())

    def metrics(self) -> dict[str, float | None]:
        """`curriculum/<name>` and `curriculum/<name>_missing` of each criterion, None where there is nothing to go by; and of the
        window itself, in iterations, where it counts.
        """
        found: dict[str, float | None] = {}
        values = self._values()
        for criterion, missing in self._missing():
            found[f"{CURRICULUM}{criterion.name}"] = values.get(criterion.key)
            found[f"{CURRICULUM}{criterion.name}{MISSING}"] = missing
        if self.by_play:
            found["curriculum/window"] = len(self._stats)
            found["curriculum/window_missing"] = (self._stats.maxlen or 0) - len(self._stats)
        return found

    def describe(self) -> str:
        """The criteria with their values, and over what, for people."""
        by_games = tuple(one for one in self.wanted if one not in self.by_play)
        over = f"over {formatting.plural(self._stats.maxlen or 0, 'iteration')}"
        blocks = ((self.by_play, over), (by_games, "by games of the newest evaluated state"))
        return "; ".join(f"{self._words(wanted)}, {how}" for wanted, how in blocks if wanted)

    def _words(self, wanted: Iterable[Criterion]) -> str:
        values = self._values()
        return ", ".join(one.describe(value) for one in wanted if (value := values.get(one.key)) is not None)

    def stored(self) -> list[dict[str, Any]]:
        """Plain data for a checkpoint."""
        return [msgspec.to_builtins(stats) for stats in self._stats]

    def restore(self, stored: Iterable[dict[str, Any]]) -> bool:
        """Take over what was stored; False, and nothing taken, where another version counted otherwise."""
        try:
            stats = [msgspec.convert(one, EpisodeStats) for one in stored]
        except msgspec.ValidationError:
            return False
        self._stats.extend(stats)
        return True

    def _values(self) -> dict[str, float | None]:
        return (skill_metrics(list(self._stats)) if self._stats else {}) | dict(self.by_games)

    def _missing(self) -> list[tuple[Criterion, float | None]]:
        values = self._values()
        return [
            (criterion, None if (value := values.get(criterion.key)) is None else criterion.missing(value))
            for criterion in self.wanted
        ]


@dataclass(frozen=True)
class Origin:
    """What a checkpoint says of where it stood. profile: that it was trained with; state: None outside campaigns."""

    profile: str
    state: CurriculumState | None


@dataclass(frozen=True)
class CurriculumMove:
    """Where the run goes on, and why. phase: unchanged where only the stage is another."""

    phase: int
    stage: int
    reason: str


class Curriculum:
    """Position in the curriculum; of a profile without phases and stages one task for ever."""

    def __init__(self, profile: Profile, timesteps: int, origin: Origin | None = None) -> None:
        """timesteps: of the run; origin: of the checkpoint that it goes on from. `notices`: what a user must know of that."""
        self._profile, self._stages = profile, stages_of(profile.curriculum)
        self.notices: list[str] = []
        self.phase, self.started = 0, 0
        window = self._resume(origin, timesteps) if origin is not None and profile.phases else []
        self.stage = stage_at(self._stages, timesteps) if self._stages else 0
        self._window = self._new_window()
        if not self._window.restore(window):
            self.notices.append("the checkpoint counts games otherwise than this version: skill is measured anew")

    @property
    def profile(self) -> Profile:
        """The task in force, as a plain profile."""
        return task_profile(self._profile, self.phase, self.stage)

    @property
    def phase_name(self) -> str:
        """The phase's profile; the profile's own name without phases."""
        return self._profile.phases[self.phase].name if self._profile.phases else self._profile.name

    @property
    def stage_name(self) -> str | None:
        """None without stages."""
        return stage_name(self._stages[self.stage]) if self._stages else None

    @property
    def next_phase(self) -> str | None:
        """The profile of the phase after this one; None where there is none."""
        following = self._profile.phases[self.phase + 1 :]
        return following[0].name if following else None

    def named(self, move: CurriculumMove) -> str:
        """What is to come: the phase if it is another one, else the stage."""
        return stage_name(self._stages[move.stage]) if move.phase == self.phase else self.next_phase or ""

    def profile_after(self, move: CurriculumMove) -> Profile:
        """The profile that will be in force."""
        return task_profile(self._profile, move.phase, move.stage)

    def learned(self, stats: EpisodeStats) -> None:
        """One iteration has been played; stats: of its match, all workers together."""
        self._window.add(stats)

    def evaluated(self, found: StateEvaluated) -> None:
        """A state was rated by games: it counts if it is of this phase, and by enough games."""
        if found.timesteps > self.started:
            enough = (each for each in found.opponents if each.games >= LEAST_GAMES)
            lows = {metric_keys.win_rate_low(each.opponent): each.low for each in enough}
            self._window.by_games = {metric_keys.ELO_LOW: found.elo_low, **lows}

    def due(self, timesteps: int, asked_by: str = "") -> CurriculumMove | None:
        """The move to make after so many timesteps of the run; None while everything stays. asked_by: who wants the next
        phase now.
        """
        reason = self._promotion(timesteps, asked_by)
        phase = self.phase + bool(reason)
        stage = stage_at(self._stages, timesteps) if self._stages else 0
        if (phase, stage) == (self.phase, self.stage):
            return None
        return CurriculumMove(phase, stage, reason or f"{timesteps:,} timesteps of the run")

    def go(self, move: CurriculumMove, timesteps: int) -> None:
        """The move has been made: the window of skill begins empty."""
        if move.phase != self.phase:
            self.started = timesteps
        self.phase, self.stage = move.phase, move.stage
        self._window = self._new_window()

    def metrics(self, timesteps: int | None = None) -> dict[str, float | None]:
        """Keys `curriculum/…`; none without a curriculum. timesteps: of the run, for what goes by them."""
        found: dict[str, float | None] = {}
        if self._profile.phases:
            found["curriculum/phase"] = phase_number(self._profile, self.phase)
            found[metric_keys.POSITION] = self.phase + 1
            found[metric_keys.PHASES] = len(self._profile.phases)
        if self._stages:
            found[metric_keys.STAGE] = self.stage + 1
        if timesteps is not None:
            found |= self._of_steps(timesteps - self.started)
        return found | self._window.metrics()

    def _of_steps(self, lasted: int) -> dict[str, float | None]:
        """What the phase's timesteps say: how long it must last, and when it is over in any case."""
        entry = self._entry
        if entry is None:
            return {}
        found: dict[str, float | None] = {metric_keys.PHASE_STEPS: lasted}
        if self.next_phase is not None and entry.until and entry.min_steps:
            found["curriculum/min_steps"] = lasted
            found["curriculum/min_steps_missing"] = max(entry.min_steps - lasted, 0)
        if self.next_phase is not None and entry.max_steps is not None:
            found[metric_keys.MAX_STEPS_LEFT] = max(entry.max_steps - lasted, 0)
        return found

    def state(self) -> CurriculumState | None:
        """For a checkpoint; None without phases."""
        if not self._profile.phases:
            return None
        return CurriculumState(
            phase=self.phase, profile=self.phase_name, started=self.started, window=self._window.stored()
        )

    @property
    def _entry(self) -> PhaseEntry | None:
        entries = self._profile.curriculum.phases
        return entries[self.phase] if entries else None

    def _new_window(self) -> SkillWindow:
        wanted = criteria(self._entry.until) if self._entry is not None else ()
        return SkillWindow(self._profile.curriculum.window, wanted)

    def _promotion(self, timesteps: int, asked_by: str) -> str:
        """Why the next phase begins now; empty while this one goes on."""
        if self._entry is None or self.next_phase is None:
            return ""
        lasted = timesteps - self.started
        if asked_by:
            return f"asked for by {asked_by}"
        if lasted >= self._entry.min_steps and self._window.reached:
            return f"skill reached: {self._window.describe()}"
        if self._entry.max_steps is not None and lasted >= self._entry.max_steps:
            return f"{lasted:,} timesteps, of {self._entry.max_steps:,} at most"
        return ""

    def _resume(self, origin: Origin, timesteps: int) -> list[dict[str, Any]]:
        """The phase of the checkpoint, wherever the profile has it now; never back to the first without a word. Returns
        its window of skill, if it goes on.
        """
        names, state = [phase.name for phase in self._profile.phases], origin.state
        if state is not None and state.profile in names:
            same_place = state.phase < len(names) and names[state.phase] == state.profile
            self.phase = state.phase if same_place else names.index(state.profile)
            self.started = state.started
            if not same_place:
                self.notices.append(
                    f"phase {state.profile} is number {self.phase + 1} of the campaign now, and goes on"
                )
            return state.window
        self.started = timesteps
        if state is not None:
            self.phase = min(state.phase, len(names) - 1)
            why = f"phase {state.profile} of the checkpoint is not in the campaign any more"
        elif origin.profile in names:
            self.phase = names.index(origin.profile)
            why = f"the checkpoint was trained with {origin.profile}"
        else:
            why = "the checkpoint comes from no campaign"
        self.notices.append(f"{why}: phase {self.phase + 1} of the campaign, {names[self.phase]}, begins here")
        return []


def curriculum_planned(profile: Profile, timesteps: int) -> CurriculumPlanned:
    """For a run that stands at so many timesteps."""
    return CurriculumPlanned(
        time=time.time(),
        timesteps=timesteps,
        phases=[_phase(profile, index) for index in range(len(profile.phases))],
        stages=[StagePlan(name=stage_name(stage), until=stage.until) for stage in stages_of(profile.curriculum)],
        window=profile.curriculum.window,
        schedules=[] if profile.phases else list(schedule_words(profile)),
    )


def _phase(profile: Profile, index: int) -> PhasePlan:
    entry, task = profile.curriculum.phases[index], task_profile(profile, index)
    return PhasePlan(
        profile=profile.phases[index].name,
        label=task.label,
        number=phase_number(profile, index),
        until=[
            PlannedCriterion(
                name=wanted.name,
                label=BY_KEY[wanted.key].label,
                unit=BY_KEY[wanted.key].unit,
                value=wanted.wanted,
                less=BY_KEY[wanted.key].good == "down",
            )
            for wanted in criteria(entry.until)
        ],
        min_steps=entry.min_steps,
        max_steps=entry.max_steps,
        changes=list(change_words(task_profile(profile, index - 1), task)) if index else [],
        schedules=list(schedule_words(task)),
    )


def change_words(before: Profile, after: Profile) -> Iterator[str]:
    """Each key in which the tasks differ, as TOML has it: rewards first. Of what comes as a whole, its weight."""
    found = [change for change in differences(before, after) if change.key not in UNLISTED]
    for change in sorted(found, key=lambda change: _rank(change.key)):
        key = change.key.removesuffix(".weight")
        if change.left is None:
            yield f"+ {key} {_weight(change.right or '')}"
        else:
            yield f"- {key}" if change.right is None else f"{key} {change.left} → {change.right}"


def _rank(key: str) -> int:
    section = key.partition(".")[0]
    return ORDER.index(section) if section in ORDER else len(ORDER)


def _weight(value: str) -> str:
    """Of an element `{weight = 4.0, full_hit_speed = 2300.0}`; any other value as it is."""
    found = re.match(r"\{weight = ([^\[,}]+)", value)
    return found[1] if found else value


def schedule_words(task: Profile) -> Iterator[str]:
    """What changes by the timesteps of the task: the learning rate, rewards' weights."""
    ppo = task.ppo
    rates = Schedule(ppo.schedule, ppo.learning_rate, steps=ppo.schedule_steps, floor=ppo.learning_rate_floor)
    if rates.kind in ("linear", "cosine"):
        yield (
            f"learning rate: {rates.kind} from {rates.learning_rate:g} to {rates.floor:g} over {rates.steps:,} timesteps"
        )
    elif rates.kind == "kl_adaptive":
        yield f"learning rate: so that KL stays near {ppo.target_kl:g}, from {rates.learning_rate:g} on"
    for name, reward in task.rewards.items():
        steps = weight_points(reward.weight)
        if len(steps) > 1:
            yield f"reward {name}: {', '.join(f'{weight:g} at {timesteps:,}' for timesteps, weight in steps)}"
