"""A run as a trainer would tell it: believable records, the same for the same arguments."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache

import msgspec

from rltui.events.commands import CommandApplied, Live, WorkerLive
from rltui.events.records import (
    CheckpointSaved,
    CommandLogged,
    IterationFinished,
    LogLine,
    PhaseChanged,
    Record,
    RunFinished,
    RunStarted,
    StateChanged,
    TaskSettings,
    WorkerFailed,
    WorkerStarted,
)

START = 1_764_244_800.0  # 2025-11-27 12:00:00 UTC
STEPS = 20_480  # timesteps of an iteration
SECONDS = 1.45  # of an iteration
WEIGHTS = {"touch": 5.0, "speed_toward_ball": 1.0, "face_ball": 0.1, "in_air": 0.05}
REWARDS = tuple(WEIGHTS)


def header(
    run: str = "alpha", *, workers: int = 2, timesteps: int = 0, step_limit: int | None = None, time: float = START
) -> RunStarted:
    return RunStarted(
        time=time, run=run, profile="phase-1-ball-touching", label="BallTouching", phase=1, stage=None, author="ada",
        versions={"rltui": "0.1.0", "torch": "2.12.0", "numpy": "1.26.4", "rocketsim": "2.2.1"}, pid=4242, host="tower",
        device="cpu", seed=7, timesteps=timesteps, step_limit=step_limit, workers=workers, arenas=32, blue=1, orange=1,
        obs_size=92, actions=90, policy_layers=[256, 256, 256], critic_layers=[256, 256, 256], policy_parameters=178_522,
        critic_parameters=155_649, learning_rate=2e-4, critic_learning_rate=2e-4, ent_coef=0.01, gamma=0.99, tick_skip=8,
        iteration=20_000, batch=10_000, minibatch=10_000, epochs=2, save_every=250_000, milestone_interval=5_000_000,
        reward_names=list(REWARDS), reward_weights=WEIGHTS, ppo={"learning_rate": 2e-4, "ent_coef": 0.01},
    )  # fmt: skip


def opening(
    run: str = "alpha", *, workers: int = 2, time: float = START, step_limit: int | None = None
) -> list[Record]:
    """The header and the workers' starts."""
    records: list[Record] = [header(run, workers=workers, time=time, step_limit=step_limit)]
    records += [
        WorkerStarted(time=time + 1.2 + 0.1 * index, worker=index, pid=4300 + index, restarts=0, seconds=0.8)
        for index in range(workers)
    ]
    return [*records, StateChanged(time=time + 1.5, state="collecting", reason="")]


@cache
def iteration(index: int, *, time: float | None = None) -> IterationFinished:
    """The index-th iteration, from 1; numbers that move as those of a bot that learns."""
    noise = random.Random(index)
    timesteps = index * STEPS
    grown = 1 / (1 + math.exp(-(timesteps / 1e6 - 4) / 1.6))
    touch = 26 * grown + noise.gauss(0, 0.9)
    speed = 12.5 * (1 - math.exp(-timesteps / 3e6)) + noise.gauss(0, 0.25)
    face = 1.9 * (1 - math.exp(-timesteps / 2e6)) - 0.25 + noise.gauss(0, 0.05)
    air = 0.4 + 0.15 * math.sin(timesteps / 2e6) + noise.gauss(0, 0.02)
    collect, learn = 0.62 + noise.gauss(0, 0.03), 0.80 + noise.gauss(0, 0.04)
    metrics: dict[str, float | None] = {
        "timesteps": timesteps,
        "rollout/policy_reward": touch + speed + face + air,
        "rollout/episodes": 24 + noise.randrange(8),
        "rollout/episode_seconds": 18 + 22 * grown + noise.gauss(0, 1),
        "rollout/goals_per_minute": max(0.0, 0.9 * grown + noise.gauss(0, 0.05)),
        "rollout/touches_per_minute": max(0.0, 21 * grown + noise.gauss(0, 0.7)),
        "rollout/airborne": 14 + 6 * grown + noise.gauss(0, 0.5),
        "rollout/boost": 31 - 9 * grown + noise.gauss(0, 0.6),
        "train/entropy": 4.5 - 1.4 * (1 - math.exp(-timesteps / 5e6)) + noise.gauss(0, 0.012),
        "train/approx_kl": max(1e-4, 0.0081 + 0.002 * math.sin(timesteps / 1.3e6) + noise.gauss(0, 0.0011)),
        "train/clip_fraction": max(0.0, 0.081 + noise.gauss(0, 0.012)),
        "train/value_loss": 0.25 + 1.9 * math.exp(-timesteps / 1.5e6) + abs(noise.gauss(0, 0.05)),
        "train/explained_variance": min(0.97, 0.93 * (1 - math.exp(-timesteps / 1.2e6)) + noise.gauss(0, 0.015)),
        "train/policy_grad_norm": 0.42 + noise.gauss(0, 0.05),
        "train/critic_grad_norm": 0.95 + noise.gauss(0, 0.12),
        "train/policy_update": 0.11 + noise.gauss(0, 0.01),
        "train/critic_update": 0.17 + noise.gauss(0, 0.01),
        "train/learning_rate": 2e-4,
        "train/return_std": 2.4 + grown,
        "train/reward_clipped": 0.0,
        "time/collected_steps_per_second": STEPS / collect,
        "time/consumed_steps_per_second": STEPS / learn,
        "time/overall_steps_per_second": STEPS / (collect + learn + 0.02),
        "time/iteration": collect + learn + 0.02,
        "time/collect": collect,
        "time/learn": learn,
        "time/save": 0.006,
        "time/simulate": 58.4 + noise.gauss(0, 1.5),
        "time/state": 8.1 + noise.gauss(0, 0.3),
        "time/infer": 21.3 + noise.gauss(0, 0.8),
        "time/observe": 6.9 + noise.gauss(0, 0.2),
        "time/reward": 4.6 + noise.gauss(0, 0.2),
        "time/reset": 1.9 + noise.gauss(0, 0.2),
        "time/other": 3.2 + noise.gauss(0, 0.2),
        "reward/touch": touch,
        "reward/speed_toward_ball": speed,
        "reward/face_ball": face,
        "reward/in_air": air,
    }
    when = START + 2 + index * SECONDS if time is None else time
    return IterationFinished(time=when, iteration=index, timesteps=timesteps, metrics=metrics)


def campaign_iteration(time: float, index: int = 608) -> IterationFinished:
    """One of a campaign's first phase: of two criteria one is reached."""
    distance: dict[str, float | None] = {
        "curriculum/phase": 1,
        "curriculum/kickoff_touches": 62.0,
        "curriculum/kickoff_touches_missing": 18.0,
        "curriculum/touches_per_minute": 4.5,
        "curriculum/touches_per_minute_missing": 0.0,
    }
    row = iteration(index)
    return msgspec.structs.replace(row, time=time, metrics={**row.metrics, **distance})


def phase_changed(time: float, timesteps: int) -> PhaseChanged:
    """From phase 1 to phase 2, which plays 2v2."""
    task = TaskSettings(
        label="BronzeSkills1", phase=2, stage="2v2", blue=2, orange=2, learning_rate=1e-4, critic_learning_rate=1e-4,
        ent_coef=0.01, gamma=0.99, iteration=30_000, batch=15_000, minibatch=15_000, epochs=2, reward_names=["goal"],
    )  # fmt: skip
    return PhaseChanged(
        time=time, timesteps=timesteps, came_from="phase-1-ball-touching", to="phase-2-bronze-skills",
        reason="skill reached: kickoff touches 91 (80 wanted), over 10 iterations", task=task,
    )  # fmt: skip


def iterations(first: int, last: int) -> Iterator[Record]:
    """Iterations with the checkpoints and milestones that fall due; both ends included."""
    for index in range(first, last + 1):
        row = iteration(index)
        yield row
        for size, kind in ((250_000, "checkpoint"), (5_000_000, "milestone")):
            if row.timesteps // size > (row.timesteps - STEPS) // size:
                yield saved(row.timesteps, row.time + 0.1, kind == "milestone")


def saved(timesteps: int, time: float, milestone: bool = False) -> CheckpointSaved:
    label = f"{timesteps // 5_000_000 * 5:03d}M" if milestone else ""
    path = (
        f"data/checkpoints/milestones/alpha/Phase1-BallTouching/{label}"
        if milestone
        else f"data/checkpoints/alpha/{timesteps}"
    )
    return CheckpointSaved(
        time=time, kind="milestone" if milestone else "checkpoint", path=path, label=label, timesteps=timesteps,
        bytes=4_130_000, held_seconds=0.004, seconds=0.11,
    )  # fmt: skip


def told(last: int = 607, *, workers: int = 2, step_limit: int | None = None) -> list[Record]:
    """A run that goes well, `last` iterations long, with one worker killed and restarted on the way."""
    records = opening(workers=workers, step_limit=step_limit)
    records += list(iterations(1, last))
    now = START + 2 + last * SECONDS
    return sorted([
        *records,
        WorkerFailed(time=now - 190, worker=1, kind="died", reason="killed by signal 9, likely out of memory", trace=""),
        WorkerStarted(time=now - 189, worker=1, pid=4377, restarts=1, seconds=0.9),
        LogLine(time=now - 120, level="info", source="learner", message=f"reward {30.2} / episode, KL 0.0081, entropy 3.12 nats"),
        CommandLogged(
            time=now - 40, command="checkpoint", by="ada on tower, pid 5151",
            outcome=CommandApplied(id=3, detail="12,410,880 saved", seconds=0.9),
        ),
        LogLine(time=now - 4, level="warning", source="worker", message="arena 17 took 41 ms for one step", worker=0),
        StateChanged(time=now, state="collecting", reason=""),
    ], key=lambda record: record.time)  # fmt: skip


def now_of(last: int = 607) -> float:
    """A moment just after the end of `told(last)`."""
    return START + 2 + last * SECONDS + 0.4


def live(
    time: float,
    *,
    state: str = "collecting",
    reason: str = "",
    iteration: int = 608,
    timesteps: int = 607 * STEPS,
    progress: float | None = 0.56,
    states: tuple[str, ...] = ("collecting", "collecting"),
    clients: tuple[str, ...] = ("ada on tower, pid 5151",),
) -> Live:
    workers = [
        WorkerLive(
            worker=index, state=word, pid=4300 + index, steps_per_second=None if word in ("failed", "restarting") else 20_714 - 248 * index,
            arenas=32, memory_mb=71.2 + index, heartbeat_age=0.1, restarts=int(index == 1), progress=0.5,
        )
        for index, word in enumerate(states)
    ]  # fmt: skip
    return Live(
        time=time, state=state, reason=reason, iteration=iteration, timesteps=timesteps, progress=progress,
        workers=workers, clients=list(clients), dropped=0,
    )  # fmt: skip


def finished(timesteps: int, time: float, exit_code: int = 0, reason: str = "step limit reached") -> RunFinished:
    return RunFinished(time=time, timesteps=timesteps, exit_code=exit_code, reason=reason)
