"""Curriculum: where a run stands among its profile's phases and stages, and when it goes on.

Phases follow each other by skill, by steps or by hand; stages by the run's timesteps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rltui import formatting
from rltui.env.stats import EpisodeStats
from rltui.events import metric_keys
from rltui.profile.curriculum import lesson, phase_number, stage_at, stage_name, stages_of
from rltui.profile.models import PhaseEntry, Profile
from rltui.runs.trainer_state import CurriculumState
from rltui.train.skill import SkillWindow, criteria


@dataclass(frozen=True)
class Origin:
    """What a checkpoint says of where it stood. profile: that it was trained with; state: None outside campaigns."""

    profile: str
    state: CurriculumState | None


@dataclass(frozen=True)
class Move:
    """Where the run goes on, and why. phase: unchanged where only the stage is another."""

    phase: int
    stage: int
    reason: str


class Curriculum:
    """Of a profile without phases and stages: one lesson for ever."""

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
        """The lesson in force, as a plain profile."""
        return lesson(self._profile, self.phase, self.stage)

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

    def named(self, move: Move) -> str:
        """What is to come: the phase if it is another one, else the stage."""
        return stage_name(self._stages[move.stage]) if move.phase == self.phase else self.next_phase or ""

    def lesson_after(self, move: Move) -> Profile:
        """The profile that will be in force."""
        return lesson(self._profile, move.phase, move.stage)

    def learned(self, stats: EpisodeStats) -> None:
        """One iteration has been played; stats: of its match, all workers together."""
        self._window.add(stats)

    def due(self, timesteps: int, asked_by: str = "") -> Move | None:
        """The move to make after so many timesteps of the run; None while everything stays. asked_by: who wants the next
        phase now.
        """
        reason = self._promotion(timesteps, asked_by)
        phase = self.phase + bool(reason)
        stage = stage_at(self._stages, timesteps) if self._stages else 0
        if (phase, stage) == (self.phase, self.stage):
            return None
        return Move(phase, stage, reason or f"{timesteps:,} timesteps of the run")

    def go(self, move: Move, timesteps: int) -> None:
        """The move has been made: skill is measured anew."""
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
            return f"skill reached: {self._window.said()}, over {formatting.plural(self._profile.curriculum.window, 'iteration')}"
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
