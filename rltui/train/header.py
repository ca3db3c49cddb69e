"""Records that open a run and a new task: header, resume, plan, changes of phase and stage."""

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
from rltui.profile.curriculum import opponent_name
from rltui.train.active_task import ActiveTask, LoopState, Place
from rltui.train.curriculum import curriculum_planned


def opening(task: ActiveTask, loop: LoopState) -> list[Record]:
    """Records of a start: its header, the resume if it is one, what was decided before, and the curriculum's plan."""
    context, now = task.context, time.time()
    plan = context.plan
    records: list[Record] = [run_started(task, loop)]
    if plan.rewind:
        checkpoint = str(plan.checkpoint or "")
        records.append(RunResumed(time=now, timesteps=plan.timesteps, checkpoint=checkpoint, reason=plan.reason))
    else:
        records.append(LogLine(time=now, level="info", source="runs", message=plan.reason))
    records += [LogLine(time=now, level="warning", source="runs", message=warning) for warning in plan.warnings]
    records += [
        LogLine(time=now, level="warning", source="checks", message=warning) for warning in context.trial_warnings
    ]
    return [*records, curriculum_planned(context.profile, plan.timesteps)]


def run_started(task: ActiveTask, loop: LoopState) -> RunStarted:
    """The record with which a trainer opens a run."""
    context, config, learner = task.context, task.config, task.learner
    profile = context.profile
    shape = task.collector.shared.shape
    return RunStarted(
        time=time.time(),
        elapsed=loop.elapsed,
        start=loop.start,
        run=context.paths.name,
        profile=profile.name,
        author=context.author,
        versions=context.versions,
        pid=os.getpid(),
        host=socket.gethostname(),
        device=config.device,
        precision=learner.precision,
        kernel=context.options.kernel,
        seed=profile.run.seed,
        timesteps=loop.timesteps,
        step_limit=context.options.steps,
        workers=shape.workers,
        arenas=shape.arenas,
        obs_size=config.size.obs,
        actions=config.size.actions.outputs,
        policy_layers=list(profile.policy.layers),
        critic_layers=list(profile.critic.layers),
        policy_parameters=learner.parameters[0],
        critic_parameters=learner.parameters[1],
        tick_skip=config.spec.tick_skip,
        save_every=profile.save_every,
        milestone_interval=profile.milestone_interval,
        evaluation_games=profile.evaluation.games,
        obs=context.signature.obs,
        table_hash=context.signature.table_hash,
        **msgspec.structs.asdict(task_settings(task, loop.timesteps)),
    )


def task_settings(task: ActiveTask, timesteps: int) -> TaskSettings:
    """Of the task in force after so many timesteps of the run."""
    config, shape = task.config, task.collector.shared.shape
    ppo, rates = config.ppo, task.rates.at(task.phase_timesteps(timesteps))
    return TaskSettings(
        label=config.profile.label,
        phase=config.profile.phase,
        stage=task.curriculum.stage_name,
        blue=config.spec.blue,
        orange=config.spec.orange,
        learning_rate=rates.policy,
        critic_learning_rate=rates.critic,
        ent_coef=task.overrides.entropy,
        gamma=ppo.gamma,
        iteration=shape.rows * shape.workers,
        batch=ppo.batch,
        minibatch=min(task.learner.pass_rows, ppo.batch),
        epochs=ppo.epochs,
        reward_names=config.spec.reward_names,
        by_hand=task.set_by_hand,
        reward_weights=config.spec.reward_weights(task.phase_timesteps(timesteps)),
        opponent=opponent_name(config.spec.opponent.name),
        environment=config.spec.environment and config.spec.obs.label,
        ppo={key: _recordable(value) for key, value in config.profile.ppo.model_dump(mode="json").items()},
    )


def _recordable(value: bool | float | str) -> bool | float | str:
    """Of a limit that is meant to be none, as 1e200, the largest figure that a record may have."""
    return value if isinstance(value, (bool, str)) else min(value, LARGEST)


def task_changes(task: ActiveTask, before: Place, reason: str, timesteps: int) -> list[PhaseChanged | StageChanged]:
    """What has become another since `before`: the phase, the stage, or both."""
    now, facts = task.place, task_settings(task, timesteps)
    found: list[PhaseChanged | StageChanged] = []
    if now.number != before.number:
        found.append(
            PhaseChanged(
                time=time.time(), timesteps=timesteps, came_from=before.phase, to=now.phase, reason=reason, task=facts
            )
        )
    if now.stage != before.stage:
        found.append(
            StageChanged(
                time=time.time(), timesteps=timesteps, came_from=before.stage, to=now.stage, reason=reason, task=facts
            )
        )
    return found
