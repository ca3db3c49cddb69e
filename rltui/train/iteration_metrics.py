"""Metrics of one iteration, action-table usage."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.actions.masking import CLASSES
from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.actions.table import table_hash
from rltui.env.arena_groups import MATCH
from rltui.env.skill_metrics import first_episodes, share, skill_metrics
from rltui.env.stats import EpisodeStats, total
from rltui.events import metric_keys
from rltui.events.episode_reward import PART, mostly_short
from rltui.events.records import TableUsed
from rltui.field import BOOST, CONTROLS, JUMP, STEER
from rltui.formatting import MEGABYTE
from rltui.learn.rollout import Float, Rollout
from rltui.train.collect.messages import RolloutDone
from rltui.train.collect.shared_rollout import RolloutShape

MEASURED = "metric/"  # begins the key of a reward of weight 0: its mean value


@dataclass(frozen=True)
class IterationTimes:
    """Seconds of one iteration's parts, pauses left out."""

    collect: float
    learn: float
    save: float
    total: float


def collected_metrics(timesteps: int, workers: Sequence[RolloutDone | None]) -> dict[str, float | None]:
    """What was collected, up to these timesteps. workers: what each reported, None where its data was dropped; one at least did."""
    metrics: dict[str, float | None] = {"timesteps": timesteps}
    for group, stats in group_stats([report for report in workers if report is not None]).items():
        prefix = "" if group == MATCH else f"{group}/"
        metrics |= {prefix + name: value for name, value in _group_metrics(stats).items()}
    return metrics


def time_metrics(
    rows: int, workers: Sequence[RolloutDone | None], times: IterationTimes, shape: RolloutShape
) -> dict[str, float | None]:
    """Speeds, seconds by part, and what each worker took. rows: timesteps collected."""
    reports = [report for report in workers if report is not None]
    metrics = _times(rows, times)
    metrics |= {f"time/{name}": value for name, value in worker_parts(reports, shape.arenas).items()}
    for index, report in enumerate(workers):
        if report is None:
            continue
        metrics[f"worker/{index}/seconds"] = report.seconds
        metrics[f"worker/{index}/steps_per_second"] = share(report.steps * shape.learners, report.seconds)
        metrics[f"worker/{index}/memory_mb"] = report.memory / MEGABYTE
    return metrics


def match_stats(workers: Sequence[RolloutDone | None]) -> EpisodeStats:
    """Of the match, all workers together; one at least reported."""
    return group_stats([report for report in workers if report is not None])[MATCH]


def group_stats(reports: Sequence[RolloutDone]) -> dict[str, EpisodeStats]:
    """Of each arena group, all workers together, but for those that have just been restarted (`_without_young`)."""
    return {group: total(_without_young([report.stats[group] for report in reports])) for group in reports[0].stats}


def _without_young(parts: Sequence[EpisodeStats]) -> Sequence[EpisodeStats]:
    """Those in which not mostly short episodes have ended yet, where they have half of the arenas; else all, as at a start."""
    settled = [part for part in parts if not mostly_short(first_episodes(part))]
    half = sum(part.arenas for part in parts) / 2
    return settled if settled and sum(part.arenas for part in settled) >= half else parts


def _group_metrics(stats: EpisodeStats) -> dict[str, float | None]:
    rewards = {f"{PART}{name}": share(value, stats.car_episodes) for name, value in stats.rewards.items()}
    measures = {f"{MEASURED}{name}": share(value, stats.car_steps) for name, value in stats.measures.items()}
    return skill_metrics([stats]) | rewards | measures


def _times(rows: int, times: IterationTimes) -> dict[str, float | None]:
    return {
        metric_keys.COLLECTED_SPEED: share(rows, times.collect),
        metric_keys.CONSUMED_SPEED: share(rows, times.learn),
        metric_keys.OVERALL_SPEED: share(rows, times.total),
        metric_keys.ITERATION_SECONDS: times.total,
        metric_keys.COLLECT_SECONDS: times.collect,
        metric_keys.UPDATE_SECONDS: times.learn,
        metric_keys.SAVE_SECONDS: times.save,
    }


def worker_parts(reports: Sequence[RolloutDone], arenas: int) -> dict[str, float]:
    """Worker microseconds per arena-step by part: simulate, state, infer …; arenas: of each worker."""
    total = arenas * sum(report.steps for report in reports)
    return {name: 1e6 * sum(report.parts[name] for report in reports) / total for name in reports[0].parts}


RECORD_SECONDS = 10.0  # between two records of the counts

Counts = NDArray[np.int64]


class TableUse:
    """Counts choices since the trainer started."""

    def __init__(self, rows: Float, options: PipelineOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """rows: float32 [N, 8], the table; zeros alone where the actions are none of the game's."""
        self._actions = action_spec(rows, options)
        self._counts: Counts = np.zeros(len(rows), np.int64)
        self._hash = table_hash(rows)
        columns = range(len(CONTROLS) if rows.any() else 0)
        self._levels = [np.unique(rows[:, column], return_inverse=True)[1].reshape(-1) for column in columns]
        self._held = (
            {
                "lut/left": rows[:, STEER] < 0,
                "lut/right": rows[:, STEER] > 0,
                "lut/jump": rows[:, JUMP] != 0,
                "lut/boost": rows[:, BOOST] != 0,
            }
            if columns
            else {}
        )
        masks = self._actions.masks
        self._masked = None if masks is None else 1 - masks.mean(axis=1)  # share by class
        self._replaces = options.legality == "fallback"
        self._clock, self._recorded_at = clock, -np.inf

    def count(self, rollout: Rollout, replaced: int) -> dict[str, float | None]:
        """The iteration's figures. replaced: choices that the fallback took the place of. Unknown is None."""
        chosen = self._actions.count(rollout.learned(rollout.actions))
        self._counts += chosen
        total = int(chosen.sum())
        figures: dict[str, float | None] = {
            "lut/used_rows": 100 * int(np.count_nonzero(chosen)) / len(chosen),
            "lut/never_chosen": int((self._counts == 0).sum()),
        }
        figures |= {key: 100 * float(chosen[rows].sum()) / total for key, rows in self._held.items()}
        figures |= {
            f"lut/entropy_{name}": entropy(np.bincount(levels, weights=chosen))
            for name, levels in zip(CONTROLS, self._levels, strict=False)
        }
        figures["lut/masked"] = self._masked_share(rollout)
        figures["lut/fallback"] = 100 * replaced / total if self._replaces else None
        return figures

    def due(self) -> bool:
        """Whether it is time for a record of the counts: at once, then every few seconds."""
        return self._clock() - self._recorded_at >= RECORD_SECONDS

    def record(self, timesteps: int) -> TableUsed:
        """The counts so far; the next one is due some seconds later."""
        self._recorded_at = self._clock()
        return TableUsed(time=time.time(), timesteps=timesteps, table_hash=self._hash, counts=self._counts.tolist())

    def _masked_share(self, rollout: Rollout) -> float | None:
        """Mean share of the rows that could not be chosen."""
        if self._masked is None or rollout.legality is None:
            return None
        met = np.bincount(rollout.learned(rollout.legality[:, :-1]), minlength=CLASSES)
        return 100 * float(met @ self._masked) / int(met.sum())


def replaced(reports: Sequence[RolloutDone | None]) -> int:
    """Choices that legality replaced, all workers and arena groups together."""
    return sum(stats.fallbacks for report in reports if report is not None for stats in report.stats.values())


def entropy(weights: NDArray[Any]) -> float:
    """Of the distribution with these weights, in nats."""
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log(shares)).sum())
