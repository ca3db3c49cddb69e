"""The one table of metrics: key, label, rlgym-ppo's name, unit, good direction, meaning. Panes, CLI and exports read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Good = Literal["up", "down", "none"]


@dataclass(frozen=True)
class Metric:
    """One figure of an iteration."""

    key: str
    label: str  # short, for panes
    unit: str = ""
    good: Good = "none"
    help: str = ""  # meaning, healthy range, what to try
    rlgym_ppo: str = ""  # the name in rlgym-ppo's report


METRICS: tuple[Metric, ...] = (
    Metric(
        "timesteps",
        "timesteps",
        "",
        "up",
        "One step of one controlled car; 1v1 counts two a step.",
        "Cumulative Timesteps",
    ),
    Metric(
        "rollout/policy_reward",
        "reward / episode",
        "",
        "up",
        "Mean weighted reward of a car over the episodes that ended in this iteration. Should rise; flat for millions of steps means that the reward is too sparse or the learning rate too low.",
        "Policy Reward",
    ),
    Metric("rollout/episodes", "episodes", "", "none", "Episodes that ended in this iteration."),
    Metric("rollout/episode_seconds", "episode length", "s", "none", "Mean game time of the ended episodes."),
    Metric("rollout/goals_per_minute", "goals", "/min", "up", "Goals per minute of game time, all arenas."),
    Metric(
        "rollout/touches_per_minute",
        "touches",
        "/min",
        "up",
        "Steps with a ball touch per car and minute of game time.",
    ),
    Metric("rollout/airborne", "airborne", "%", "none", "Share of car steps with fewer than three wheels down."),
    Metric("rollout/boost", "mean boost", "", "none", "Mean boost, 0–100."),
    Metric(
        "train/entropy",
        "entropy",
        "nats",
        "none",
        "Mean policy entropy; a uniform policy over n rows reads ln n (90 rows: 4.50). Should fall slowly. Near 0 early: raise ent_coef; never falling: lower it.",
        "Policy Entropy",
    ),
    Metric(
        "train/approx_kl",
        "KL",
        "",
        "none",
        "Mean KL from the policy that collected to the updated one. Healthy 0.002–0.02. Higher: lower the learning rate or epochs; near 0: raise it.",
        "Mean KL Divergence",
    ),
    Metric(
        "train/clip_fraction",
        "clip fraction",
        "",
        "none",
        "Share of ratios outside the clip range. Healthy 0.02–0.2.",
        "SB3 Clip Fraction",
    ),
    Metric(
        "train/value_loss",
        "value loss",
        "",
        "down",
        "Mean squared error of the critic against its targets.",
        "Value Function Loss",
    ),
    Metric(
        "train/explained_variance",
        "explained variance",
        "",
        "up",
        "1 is a perfect critic, 0 is no better than the mean. Below 0 for long: critic learning rate or reward scale.",
    ),
    Metric("train/policy_grad_norm", "policy gradient", "", "none", "Gradient norm before clipping."),
    Metric("train/critic_grad_norm", "critic gradient", "", "none", "Gradient norm before clipping."),
    Metric(
        "train/policy_update", "policy update", "", "none", "Norm of the parameter change.", "Policy Update Magnitude"
    ),
    Metric(
        "train/critic_update",
        "critic update",
        "",
        "none",
        "Norm of the parameter change.",
        "Value Function Update Magnitude",
    ),
    Metric(
        "train/reward_clipped",
        "rewards clipped",
        "%",
        "down",
        "Share of rewards cut by reward_clip after division by the return's standard deviation. Above 1 %: raise reward_clip or lower the large weights.",
    ),
    Metric("train/return_std", "return std", "", "none", "Standard deviation that rewards are divided by."),
    Metric("train/learning_rate", "learning rate", "", "none", "Of the policy."),
    Metric("train/updates", "optimizer steps", "", "up", "Since the start of the run.", "Cumulative Model Updates"),
    Metric(
        "time/collected_steps_per_second",
        "collected",
        "steps/s",
        "up",
        "While collecting.",
        "Collected Steps per Second",
    ),
    Metric("time/consumed_steps_per_second", "consumed", "steps/s", "up", "While learning."),
    Metric(
        "time/overall_steps_per_second",
        "overall",
        "steps/s",
        "up",
        "Of the whole iteration.",
        "Overall Steps per Second",
    ),
    Metric("time/iteration", "iteration", "s", "down", "Seconds of the whole iteration.", "Total Iteration Time"),
    Metric(
        "time/collect",
        "collect",
        "s",
        "down",
        "Seconds of the trainer waiting for rollouts.",
        "Timestep Collection Time",
    ),
    Metric("time/learn", "learn", "s", "down", "Seconds of the update.", "Timestep Consumption Time"),
    Metric("time/save", "save", "s", "down", "Seconds that saving held the training thread."),
    Metric("time/simulate", "simulate", "µs", "down", "Worker microseconds per arena-step in the simulator."),
    Metric(
        "time/state", "read state", "µs", "down", "Worker microseconds per arena-step reading the simulator's state."
    ),
    Metric("time/infer", "infer", "µs", "down", "Worker microseconds per arena-step in the policy, sampling included."),
    Metric("time/observe", "observe", "µs", "down", "Worker microseconds per arena-step building observations."),
    Metric("time/reward", "reward", "µs", "down", "Worker microseconds per arena-step in rewards and terminals."),
    Metric("time/reset", "reset", "µs", "down", "Worker microseconds per arena-step in resets."),
    Metric(
        "time/other", "other", "µs", "down", "Worker microseconds per arena-step in controls, storing and the loop."
    ),
)

BY_KEY = {metric.key: metric for metric in METRICS}
