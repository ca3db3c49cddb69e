"""What a profile plans to change as the bot learns, as a record: phases with their criteria, stages, schedules."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from rltui.events.metrics import BY_KEY
from rltui.events.records import CurriculumPlanned, PhasePlan, StagePlan, Wanted
from rltui.learn.schedules import Schedule
from rltui.profile.curriculum import lesson, phase_number, stage_name, stages_of
from rltui.profile.models import Profile
from rltui.profile.render import differences
from rltui.profile.weights import points
from rltui.train.skill import criteria

ORDER = ("rewards", "game", "resets", "terminals", "ppo")  # of the sections, in what is told of a phase
UNSAID = ("label", "phase", "description")  # they name a phase and change nothing


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
    entry, taught = profile.curriculum.phases[index], lesson(profile, index)
    return PhasePlan(
        profile=profile.phases[index].name,
        label=taught.label,
        number=phase_number(profile, index),
        until=[
            Wanted(
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
        changes=list(change_words(lesson(profile, index - 1), taught)) if index else [],
        schedules=list(schedule_words(taught)),
    )


def change_words(before: Profile, after: Profile) -> Iterator[str]:
    """Each key in which the lessons differ, as TOML has it: rewards first. Of what comes as a whole, its weight."""
    found = [change for change in differences(before, after) if change.key not in UNSAID]
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


def schedule_words(taught: Profile) -> Iterator[str]:
    """What changes by the timesteps of the lesson: the learning rate, rewards' weights."""
    ppo = taught.ppo
    rates = Schedule(ppo.schedule, ppo.learning_rate, steps=ppo.schedule_steps, floor=ppo.learning_rate_floor)
    if rates.kind in ("linear", "cosine"):
        yield (
            f"learning rate: {rates.kind} from {rates.learning_rate:g} to {rates.floor:g} over {rates.steps:,} timesteps"
        )
    elif rates.kind == "kl_adaptive":
        yield f"learning rate: so that KL stays near {ppo.target_kl:g}, from {rates.learning_rate:g} on"
    for name, reward in taught.rewards.items():
        steps = points(reward.weight)
        if len(steps) > 1:
            yield f"reward {name}: {', '.join(f'{weight:g} at {timesteps:,}' for timesteps, weight in steps)}"
