"""Speed, time left, change of a metric, distance to promotion."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Literal

from rltui.events import metric_keys
from rltui.events.metrics import criterion_by_games
from rltui.events.promotion import COUNTED, CURRICULUM, distances
from rltui.events.records import PhasePlan, PlannedCriterion
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import BLOCK, LONG, Change, newest_change
from rltui.runs.journal_reader import SPEED_ITERATIONS, RecentSpeed, mean_speed

_LABELS = {"min_steps": "timesteps", "window": "iterations"}
FEWEST = 3  # iterations before an estimate is shown
WORKER_SECONDS = re.compile(r"worker/\d+/seconds")
_RATE = "_per_second"


def change_since(snapshot: RunSnapshot, key: str) -> Change | None:
    """The metric's newest change, by the rule of the verdict and of the same iterations; None where those are too few."""
    column, first, end = snapshot.history.columns.get(key), snapshot.found.first, snapshot.history.length
    return newest_change(column[max(first, end - LONG * BLOCK) : end], end - first) if column is not None else None


@dataclass(frozen=True, slots=True)
class CriterionProgress:
    """To one criterion. steps: timesteps until it is reached if the trend holds; 0 where it is, None where unknown."""

    label: str
    unit: str
    value: float | None
    wanted: float | None
    missing: float | None
    steps: float | None
    less: bool = False  # the less the better
    whole: bool = False  # a count
    by_games: bool = False  # of the newest evaluated state, not of the bot's own play

    @property
    def share(self) -> float | None:
        """0–1 of the way from nothing, or from twice what is wanted where less is better."""
        if self.missing == 0:
            return 1.0
        if self.value is None or not self.wanted:
            return None
        part = (2 * self.wanted - self.value if self.less else self.value) / self.wanted
        return min(max(part, 0.0), 1.0)


def phase_now(snapshot: RunSnapshot) -> int | None:
    """The place among the plan's phases, from 0; None outside campaigns, and before the first iteration."""
    plan = snapshot.plan
    if plan is None or not plan.phases:
        return None
    position = snapshot.metrics.get(metric_keys.POSITION)
    names = [phase.profile for phase in plan.phases]
    if is_new(snapshot) and snapshot.tasks[-1].to in names:
        return names.index(snapshot.tasks[-1].to)
    if position is not None and 1 <= position <= len(names):
        return int(position) - 1
    numbers = [phase.number for phase in plan.phases]
    number = snapshot.header.phase if snapshot.header else None
    return numbers.index(number) if number in numbers else None


def is_new(snapshot: RunSnapshot) -> bool:
    """Whether the task has only just begun: the metrics are still of the one before."""
    heard = snapshot.metrics.get("timesteps")
    return bool(snapshot.tasks) and (heard is None or heard <= snapshot.tasks[-1].timesteps)


def metrics_of(snapshot: RunSnapshot) -> Mapping[str, float | None]:
    """The newest metrics of this task; empty before the first."""
    return {} if is_new(snapshot) else snapshot.metrics


def criteria(snapshot: RunSnapshot) -> list[CriterionProgress]:
    """Everything that the next phase waits for, in the profile's order; the least timesteps and the full window last."""
    now = phase_now(snapshot)
    phase = snapshot.plan.phases[now] if snapshot.plan is not None and now is not None else None
    found = [_way(snapshot, phase, one.name, one.value, one.missing) for one in distances(metrics_of(snapshot))]
    if not found and phase is not None and snapshot.plan is not None and phase is not snapshot.plan.phases[-1]:
        found = [_way(snapshot, phase, wanted.name, None, None) for wanted in phase.until]  # before the first iteration
    return sorted(found, key=lambda way: way.whole)


def _way(
    snapshot: RunSnapshot, phase: PhasePlan | None, name: str, value: float | None, missing: float | None
) -> CriterionProgress:
    if name in COUNTED:
        plan = snapshot.plan
        target = None if plan is None or phase is None else phase.min_steps if name == "min_steps" else plan.window
        steps = _counted(snapshot, name, missing)
        return CriterionProgress(_LABELS[name], "", value, target, missing, steps, whole=True)
    of_plan = next((one for one in phase.until if one.name == name), None) if phase else None
    known = of_plan or PlannedCriterion(name=name, label=name.replace("_", " "), unit="", value=0.0, less=False)
    wanted = known.value if of_plan is not None else None
    steps = 0.0 if missing == 0 else _trend(snapshot, CURRICULUM + name, missing, known.less)
    return CriterionProgress(
        known.label,
        known.unit,
        value,
        wanted,
        missing,
        steps,
        known.less,
        by_games=criterion_by_games(name) is not None,
    )


def _counted(snapshot: RunSnapshot, name: str, missing: float | None) -> float | None:
    """Timesteps are counted one by one; iterations at their present size."""
    if missing is None or name == "min_steps":
        return missing
    steps = snapshot.history.timesteps[: snapshot.history.length][-6:]
    sizes = [after - before for before, after in pairwise(steps)]
    return 0.0 if missing == 0 else missing * fmean(sizes) if sizes else None


def _trend(snapshot: RunSnapshot, key: str, missing: float | None, less: bool) -> float | None:
    """Timesteps at the pace of the metric's trend; None where it goes the other way or nowhere for sure."""
    found = change_since(snapshot, key)
    if missing is None or found is None or found.after(None) != ("falling" if less else "rising"):
        return None
    history = snapshot.history
    steps = history.timesteps[history.length - 1] - history.timesteps[history.length - 1 - found.span]
    return missing / abs(found.by) * steps


def steps_by_skill(found: Sequence[CriterionProgress]) -> float | None:
    """Timesteps until all of it is reached by the trend; None where one of them is unknown, and where nothing is wanted."""
    known = [way.steps for way in found if way.steps is not None]
    return max(known) if found and len(known) == len(found) else None


def is_last_phase(snapshot: RunSnapshot) -> bool:
    """No phase follows: nothing is waited for."""
    plan, now = snapshot.plan, phase_now(snapshot)
    return plan is not None and now is not None and now + 1 == len(plan.phases)


@dataclass(frozen=True, slots=True)
class StepTarget:
    """Something that steps lead to. Unknown is None.

    target: timesteps, None where skill decides. seconds: until then at the present speed, None while paused; sure: how that is meant.
    """

    name: str
    target: int | None
    share: float | None  # 0–1 of the way since the one before
    seconds: float | None
    words: str = ""  # that say more than the share: 3 of 4
    sure: Literal["exact", "trend", "latest"] = "exact"  # counted; if the figures go on so; sooner if skill is reached


def speed(snapshot: RunSnapshot) -> float | None:
    """Steps per second, as `recent` has them."""
    found = recent(snapshot)
    return found.steps_per_second if found is not None else None


def recent(snapshot: RunSnapshot) -> RecentSpeed | None:
    """Over the newest iterations of this start, None before its first: the figure of lists and of `rltui status`.

    Of a session that has ended without an iteration: of the one before. None too while training waits for a stopped worker.
    """
    if not snapshot.ended and any(row.state == "stopped" for row in snapshot.workers):
        return None
    column = snapshot.history.columns.get(metric_keys.OVERALL_SPEED)
    first, end = newest_rows(snapshot)
    return mean_speed(column[first:end]) if column is not None else None


def newest_rows(snapshot: RunSnapshot) -> tuple[int, int]:
    """(first, end) of the iterations that the speed is of."""
    history = snapshot.history
    if not history.length:
        return 0, 0
    first = bisect_right(history.timesteps, _begun(snapshot), 0, history.length)
    return max(history.length - SPEED_ITERATIONS, first), history.length


def _begun(snapshot: RunSnapshot) -> float:
    """Timesteps from which the session has trained whose speed is shown."""
    if snapshot.finished is None and snapshot.opened is not None:
        return snapshot.opened.timesteps
    last = snapshot.history.timesteps[snapshot.history.length - 1]
    starts = [mark.timesteps for mark in snapshot.marks if mark.kind == "resume"]
    starts += [snapshot.opened.timesteps] if snapshot.opened is not None else []
    return max((start for start in starts if start < last), default=-1)


def step_targets(snapshot: RunSnapshot) -> list[StepTarget]:
    """Checkpoint, milestone and, where there are such, the next phase and the step limit. Empty before the first record."""
    header = snapshot.header
    if header is None:
        return []
    steps = snapshot.timesteps
    found = []
    if header.save_every > 0:
        saved = snapshot.saved_timesteps if snapshot.saved_timesteps is not None else header.timesteps
        found.append(_goal(snapshot, "checkpoint", saved, saved + header.save_every))
    if header.milestone_interval > 0:
        before = steps // header.milestone_interval * header.milestone_interval
        found.append(_goal(snapshot, "milestone", before, before + header.milestone_interval))
    found += _promotion(snapshot)
    if header.step_limit is not None:
        found.append(_goal(snapshot, "limit", 0, header.step_limit))
    return found


def _goal(snapshot: RunSnapshot, name: str, start: int, target: int) -> StepTarget:
    steps = snapshot.timesteps
    share = min(max((steps - start) / max(target - start, 1), 0.0), 1.0)
    return StepTarget(name, target, share, _seconds(snapshot, max(target - steps, 0)))


def _promotion(snapshot: RunSnapshot) -> list[StepTarget]:
    """The next phase of a campaign; its share is that of the criterion farthest away."""
    found = [] if is_last_phase(snapshot) else criteria(snapshot)
    if not found:
        return []
    shares = [way.share for way in found if way.share is not None]
    reached = f"{sum(way.missing == 0 for way in found)} of {len(found)}"
    skill, latest = steps_by_skill(found), metrics_of(snapshot).get(metric_keys.MAX_STEPS_LEFT)
    by_skill = skill is not None and (latest is None or skill <= latest)
    steps = skill if by_skill else latest
    share = min(shares) if len(shares) == len(found) else None
    seconds = None if steps is None else _seconds(snapshot, steps)
    return [StepTarget("promotion", None, share, seconds, reached, "trend" if by_skill else "latest")]


def _seconds(snapshot: RunSnapshot, steps: float) -> float | None:
    if snapshot.paused:
        return None
    pace = recent(snapshot)
    return steps / pace.steps_per_second if pace is not None and pace.iterations >= FEWEST else None


@dataclass(frozen=True, slots=True)
class MeanIterationTimes:
    """metrics: `time/…` and the workers' seconds. iterations: over so many; 0: they are of the newest before this start."""

    metrics: Mapping[str, float | None]
    iterations: int


def iteration_times(snapshot: RunSnapshot) -> MeanIterationTimes:
    """Over the iterations that the run's speed is of; steps a second as steps by time, the harmonic mean."""
    first, end = newest_rows(snapshot)
    newest = {key: value for key, value in snapshot.metrics.items() if _is_time(key)}
    columns = snapshot.history.columns
    means = {
        key: _mean_of_metric(key, columns[key][first:end]) if key in columns else value for key, value in newest.items()
    }
    return MeanIterationTimes(means if end > first else newest, end - first)


def _is_time(key: str) -> bool:
    return key.startswith("time/") or WORKER_SECONDS.fullmatch(key) is not None


def _mean_of_metric(key: str, values: Sequence[float]) -> float | None:
    """Of those known; None where none is."""
    if key.endswith(_RATE):
        speed = mean_speed(values)
        return speed.steps_per_second if speed is not None else None
    known = [value for value in values if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else None
