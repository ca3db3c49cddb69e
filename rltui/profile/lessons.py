"""A lesson: what a bot learns at one phase and stage of a curriculum, as a plain profile.

A phase's profile gives rewards, resets, terminals, team sizes, practice lane, label, phase and [ppo]; the stage, where
there are stages, decides team sizes and opponent. The campaign's own keys hold throughout.
"""

from __future__ import annotations

from typing import Any

from rltui.profile.models import CurriculumSection, Profile, StageEntry
from rltui.profile.resolved import OF_PHASES
from rltui.profile.stages import stages_of


def lesson(profile: Profile, phase: int = 0, stage: int = 0) -> Profile:
    """The profile in force, itself without phases; of a profile without curriculum it is the same. Indices from 0."""
    if profile.curriculum == CurriculumSection():
        return profile
    changes: dict[str, Any] = {"curriculum": CurriculumSection()}
    if profile.phases:
        source = profile.phases[phase]
        changes |= {name: getattr(source, name) for name in OF_PHASES}
        changes |= {"label": source.label or source.name, "phase": phase_number(profile, phase)}
    stages = stages_of(profile.curriculum)
    made = profile.model_copy(update=changes | (_staged(profile, changes, stages[stage]) if stages else {}))
    made._phases = ()
    return made


def lessons(profile: Profile) -> list[Profile]:
    """Every phase at every stage."""
    phases, stages = range(len(profile.phases) or 1), range(len(stages_of(profile.curriculum)) or 1)
    return [lesson(profile, phase, stage) for phase in phases for stage in stages]


def phase_number(profile: Profile, phase: int) -> int:
    """As the phase's profile numbers it, else its place in the campaign, from 1."""
    number = profile.phases[phase].phase
    return phase + 1 if number is None else number


def _staged(profile: Profile, changes: dict[str, Any], stage: StageEntry) -> dict[str, Any]:
    game = changes.get("game", profile.game)
    teams = {"blue": stage.blue, "orange": stage.orange, "opponent": stage.opponent}
    found: dict[str, Any] = {"game": game.model_copy(update=teams)}
    if stage.resets:
        found["resets"] = stage.resets
    if stage.categories:
        only = stage.model_copy(update={"until": None, "resets": ()})
        found["curriculum"] = CurriculumSection(stages=(only,))
    return found
