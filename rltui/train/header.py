"""RunStarted record."""

from __future__ import annotations

import os
import socket
import time

import msgspec

from rltui.events.records import (
    LARGEST,
    LogLine,
    PhaseChanged,
    Record,
    RunResumed,
    RunStarted,
    StageChanged,
    TaskSettings,
)
from rltui.train.active_task import ActiveTask, Place
from rltui.train.curriculum import curriculum_planned
from rltui.train.setup import StartContext


def opening(prepared: StartContext, course: ActiveTask, timesteps: int) -> list[Record]:
    """What a start tells first: its header, the resume if it is one, what was decided before, and the curriculum's plan."""
    plan, now = prepared.plan, time.time()
    told: list[Record] = [run_started(prepared, course, timesteps)]
    if plan.rewind:
        checkpoint = str(plan.checkpoint or "")
        told.append(RunResumed(time=now, timesteps=plan.timesteps, checkpoint=checkpoint, reason=plan.reason))
    else:
        told.append(LogLine(time=now, level="info", source="runs", message=plan.reason))
    told += [LogLine(time=now, level="warning", source="runs", message=warning) for warning in plan.warnings]
    told += [LogLine(time=now, level="warning", source="lut", message=warning) for warning in prepared.table_warnings]
    return [*told, curriculum_planned(prepared.profile, plan.timesteps)]


def run_started(prepared: StartContext, course: ActiveTask, timesteps: int) -> RunStarted:
    """The record with which a trainer opens a run."""
    profile, blueprint, learner = prepared.profile, course.blueprint, course.learner
    shape = course.collector.shared.shape
    return RunStarted(
        time=time.time(),
        run=prepared.paths.name,
        profile=profile.name,
        author=prepared.author,
        versions=prepared.versions,
        pid=os.getpid(),
        host=socket.gethostname(),
        device=blueprint.device,
        seed=profile.run.seed,
        timesteps=timesteps,
        step_limit=prepared.options.steps,
        workers=shape.workers,
        arenas=shape.arenas,
        obs_size=blueprint.size.obs,
        actions=blueprint.size.actions,
        policy_layers=list(profile.policy.layers),
        critic_layers=list(profile.critic.layers),
        policy_parameters=learner.parameters[0],
        critic_parameters=learner.parameters[1],
        tick_skip=blueprint.spec.tick_skip,
        save_every=profile.save_every,
        milestone_interval=profile.milestone_interval,
        obs=prepared.signature.obs,
        table_hash=prepared.signature.table_hash,
        **msgspec.structs.asdict(lesson_facts(course, timesteps)),
    )


def lesson_facts(course: ActiveTask, timesteps: int) -> TaskSettings:
    """Of the lesson in force after so many timesteps of the run."""
    blueprint, shape = course.blueprint, course.collector.shared.shape
    ppo, rates = blueprint.ppo, course.rates.at(course.lasted(timesteps))
    return TaskSettings(
        label=blueprint.profile.label,
        phase=blueprint.profile.phase,
        stage=course.curriculum.stage_name,
        blue=blueprint.spec.blue,
        orange=blueprint.spec.orange,
        learning_rate=rates.policy,
        critic_learning_rate=rates.critic,
        ent_coef=course.overrides.entropy,
        gamma=ppo.gamma,
        iteration=shape.rows * shape.workers,
        batch=ppo.batch,
        minibatch=ppo.minibatch,
        epochs=ppo.epochs,
        reward_names=blueprint.spec.reward_names,
        by_hand=course.set_by_hand,
        reward_weights=blueprint.spec.reward_weights(course.lasted(timesteps)),
        ppo={key: _told(value) for key, value in blueprint.profile.ppo.model_dump(mode="json").items()},
    )


def _told(value: bool | float | str) -> bool | float | str:
    """Of a limit that is meant to be none, as 1e200, the largest figure that a record may have: with more it is none."""
    return value if isinstance(value, (bool, str)) else min(value, LARGEST)


def lesson_changes(course: ActiveTask, before: Place, reason: str, timesteps: int) -> list[PhaseChanged | StageChanged]:
    """What has become another since `before`: the phase, the stage, or both."""
    now, facts = course.place, lesson_facts(course, timesteps)
    found: list[PhaseChanged | StageChanged] = []
    if now.number != before.number:
        found.append(
            PhaseChanged(
                time=time.time(), timesteps=timesteps, came_from=before.phase, to=now.phase, reason=reason, lesson=facts
            )
        )
    if now.stage != before.stage:
        found.append(
            StageChanged(
                time=time.time(), timesteps=timesteps, came_from=before.stage, to=now.stage, reason=reason, lesson=facts
            )
        )
    return found
