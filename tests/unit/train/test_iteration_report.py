"""Metrics from hand-made reports: sums, means over car episodes, unknown is None."""

from __future__ import annotations

import pytest

from rltui.env.episode_stats import EpisodeStats
from rltui.train.iteration_report import IterationTimes, iteration_metrics
from rltui.train.messages import RolloutDone


def stats(episodes: int, touch: float, shaping: float) -> EpisodeStats:
    return EpisodeStats(
        episodes=episodes,
        car_episodes=2 * episodes,
        episode_ticks=1200 * episodes,
        rewards={"touch": touch, "shaping": shaping},
        goals=3,
        touches=8,
        airborne=25,
        boost=3300.0,
        car_steps=100,
        seconds=60.0,
    )


def done(part: EpisodeStats) -> RolloutDone:
    return RolloutDone(2.0, {"simulate": 0.005, "infer": 0.001}, part, 64 * 2**20)


def metrics(*parts: EpisodeStats) -> dict[str, float | None]:
    times = IterationTimes(collect=2.0, learn=3.0, save=0.1, total=5.0)
    return iteration_metrics(1000, 200, [done(part) for part in parts], {"train/entropy": 4.4}, times, arena_steps=50)


def test_figures_of_two_workers_are_taken_together() -> None:
    found = metrics(stats(2, 8.0, 2.0), stats(4, 4.0, -2.0))
    assert found["reward/touch"] == pytest.approx(12 / 12)
    assert found["reward/shaping"] == 0.0
    assert found["rollout/policy_reward"] == pytest.approx(1.0)
    assert found["rollout/episode_seconds"] == pytest.approx(10.0)
    assert found["rollout/goals_per_minute"] == pytest.approx(6 / 2)
    assert found["rollout/touches_per_minute"] == pytest.approx(16 / (2 * 2))
    assert found["rollout/airborne"] == pytest.approx(25.0)
    assert found["rollout/boost"] == pytest.approx(33.0)
    assert found["time/collected_steps_per_second"] == pytest.approx(100.0)
    assert found["time/overall_steps_per_second"] == pytest.approx(40.0)
    assert found["time/simulate"] == pytest.approx(1e6 * 0.01 / 100)
    assert found["train/entropy"] == 4.4


def test_components_sum_to_the_reported_reward() -> None:
    found = metrics(stats(3, 7.0, 1.5))
    total = sum(value for key, value in found.items() if key.startswith("reward/") and value is not None)
    assert total == pytest.approx(found["rollout/policy_reward"])


def test_without_an_ended_episode_rewards_are_unknown_not_zero() -> None:
    found = metrics(stats(0, 0.0, 0.0))
    assert found["rollout/policy_reward"] is None
    assert found["reward/touch"] is None
    assert found["rollout/episodes"] == 0


def test_a_worker_keeps_its_number_when_another_was_dropped() -> None:
    times = IterationTimes(collect=2.0, learn=3.0, save=0.1, total=5.0)
    found = iteration_metrics(1000, 200, [None, done(stats(2, 8.0, 2.0))], {}, times, arena_steps=50)
    assert {key for key in found if key.startswith("worker/")} == {"worker/1/seconds", "worker/1/memory_mb"}
