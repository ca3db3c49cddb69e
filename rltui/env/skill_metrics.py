"""Metrics of play: what EpisodeStats say of training, and of the games of a player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rltui.env.stats import EpisodeStats, total
from rltui.env.turtle import TurtleStats
from rltui.events import metric_keys
from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, REWARD
from rltui.field import TICKS_PER_SECOND


def skill_metrics(parts: Sequence[EpisodeStats]) -> dict[str, float | None]:
    """Of several taken together, say iterations of one arena group; one at least."""
    stats = total(parts)
    if not stats.of_game:
        return _episodes(stats)
    return _episodes(stats) | _rollout(stats) | _turtles(stats.turtles, stats.car_seconds / 60)


def mean_reward(stats: EpisodeStats) -> float | None:
    """Mean weighted reward of a car over the ended episodes."""
    return share(sum(stats.rewards.values()), stats.car_episodes)


def first_episodes(stats: EpisodeStats) -> float | None:
    """Percent of the arenas that are still in the episode that they began with."""
    return share(100 * stats.first_episodes, stats.arenas)


def _episodes(stats: EpisodeStats) -> dict[str, float | None]:
    return {REWARD: mean_reward(stats), EPISODES: stats.episodes, FIRST_EPISODES: first_episodes(stats)}


def _rollout(stats: EpisodeStats) -> dict[str, float | None]:
    minutes, car_minutes = stats.seconds / 60, stats.car_seconds / 60
    return {
        metric_keys.EPISODE_SECONDS: share(stats.episode_ticks / TICKS_PER_SECOND, stats.episodes),
        metric_keys.GOALS_PER_MINUTE: share(stats.goals, minutes),
        "rollout/conceded_per_minute": share(stats.conceded, minutes),
        metric_keys.OWN_GOALS_PER_MINUTE: share(stats.own_goals, minutes),
        metric_keys.TOUCHES_PER_MINUTE: share(stats.touches, car_minutes),
        metric_keys.SHOTS_PER_MINUTE: share(stats.shots, car_minutes),
        metric_keys.SAVES_PER_MINUTE: share(stats.saves, car_minutes),
        "rollout/demos_per_minute": share(stats.demos, car_minutes),
        metric_keys.KICKOFF_TOUCHES: share(100 * stats.kickoffs_touched, stats.kickoffs),
        metric_keys.AIRBORNE: share(100 * stats.airborne, stats.car_steps),
        metric_keys.BOOST_HELD: share(stats.boost, stats.car_steps),
        "rollout/boost_spent_per_minute": share(stats.boost_spent, car_minutes),
    }


def _turtles(stats: TurtleStats, car_minutes: float) -> dict[str, float | None]:
    ticks = stats.recovery_ticks
    times = {
        "mean": float(np.mean(ticks)) if ticks else None,
        "median": float(np.median(ticks)) if ticks else None,
        "p90": float(np.percentile(ticks, 90)) if ticks else None,
    }
    return {
        metric_keys.TURTLE_EVENTS: stats.events,
        metric_keys.TURTLES_RECOVERED: stats.recovered,
        "turtle/failed": stats.failed,
        "turtle/censored": stats.censored,
        metric_keys.TURTLES_PER_MINUTE: share(stats.events, car_minutes),
        **{f"turtle/{name}_ticks": value for name, value in times.items()},
        **{
            f"turtle/{name}_seconds": None if value is None else value / TICKS_PER_SECOND
            for name, value in times.items()
        },
    }


def share(amount: float, count: float) -> float | None:
    """amount / count; None of nothing."""
    return amount / count if count else None
