"""Speed, time left, change since, distance to promotion."""

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
from rltui.events.episode_reward import FIRST_EPISODES, PART, REWARD, mostly_short
from rltui.events.metric_keys import ITERATION_SECONDS
from rltui.events.promotion import COUNTED, CURRICULUM, distances
from rltui.events.records import CLOCK, PhasePlan, PlannedCriterion
from rltui.run_state.history import History
from rltui.run_state.rewards import settled
from rltui.run_state.snapshot import RunSnapshot
from rltui.runs.journal_reader import SPEED_ITERATIONS, RecentSpeed, mean_speed

HOUR = 3600.0  # seconds
ROWS = 100  # iterations, where there is no hour yet
SMOOTH = 10  # iterations that each end is averaged over
CLEAR = 0.05  # of the larger end: a smaller change is noise
TREND = 50  # newest iterations that a trend is read from
FEWEST_FOR_PROMOTION = 10  # iterations before there is one
SURE = 0.5  # correlation below which the figure wanders, and does not rise
FARTHEST = 20  # times the time seen so far: beyond that the estimate means nothing
_LABELS = {"min_steps": "timesteps", "window": "iterations"}
FEWEST = 3  # iterations before an estimate is shown
WORKER_SECONDS = re.compile(r"worker/\d+/seconds")
_RATE = "_per_second"


def at_work(history: History, start: int, end: int) -> float | None:
    """Seconds from the end of row `start` to that of the last row before `end`; None where they are not known.

    Of a row that does not tell its own seconds, those since the row before it.
    """
    first, last = start + 1, min(end, history.length)
    if last <= first or (ITERATION_SECONDS not in history.columns and CLOCK not in history.columns):
        return None
    own = (
        history.columns[ITERATION_SECONDS][first:last]
        if ITERATION_SECONDS in history.columns
        else [math.nan] * (last - first)
    )
    total = math.fsum(own)
    if math.isnan(total) and CLOCK in history.columns:
        clock = history.columns[CLOCK][start:last]
        passed = (after - before for before, after in pairwise(clock))
        total = math.fsum(gap if math.isnan(each) else each for each, gap in zip(own, passed, strict=True))
    return None if math.isnan(total) else total


@dataclass(frozen=True, slots=True)
class MetricChange:
    """before, now: means of SMOOTH iterations. span: `1 h` or `100 it.`, what lies between them."""

    before: float
    now: float
    span: str

    @property
    def value(self) -> float:
        """By how much."""
        return self.now - self.before

    @property
    def way(self) -> int:
        """1 up, -1 down, 0 where nobody should make anything of it."""
        if abs(self.value) <= CLEAR * max(abs(self.now), abs(self.before)):
            return 0
        return 1 if self.value > 0 else -1


def change_since(history: History, key: str) -> MetricChange | None:
    """The newest SMOOTH iterations against as many before the span; None where either mean is unknown.

    Rewards of a time in which mostly short episodes had ended are unknown, and as long as it lasts nothing has changed.
    """
    end, span = _start_of_span(history)
    if end < SMOOTH or key not in history.columns or (_is_reward(key) and _settles(history)):
        return None
    now = _mean(_rows(history, key, history.length - SMOOTH, history.length))
    before = _mean(_rows(history, key, end - SMOOTH, end))
    return None if now is None or before is None else MetricChange(before, now, span)


def span_words(history: History) -> str:
    """What changes look back over now: `1 h`, `100 it.`"""
    return _start_of_span(history)[1]


def _start_of_span(history: History) -> tuple[int, str]:
    """(first row of it, its words)."""
    length, clock = history.length, history.columns.get(CLOCK)
    if clock is not None and length > ROWS:
        row = bisect_right(clock, clock[length - 1] - HOUR, 0, length)
        if SMOOTH <= row <= length - ROWS:
            return row, "1 h"
    return length - ROWS, f"{ROWS} it."


def _is_reward(key: str) -> bool:
    return key == REWARD or key.startswith(PART)


def _settles(history: History) -> bool:
    """Whether the newest iteration's rewards are those of short episodes."""
    first = history.columns.get(FIRST_EPISODES)
    return first is not None and mostly_short(first[history.length - 1])


def _rows(history: History, key: str, start: int, stop: int) -> Sequence[float]:
    return settled(history, key, start, stop) if _is_reward(key) else history.columns[key][start:stop]


def _mean(values: Sequence[float]) -> float | None:
    """Of those known, if that is half of them."""
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if len(known) * 2 >= SMOOTH else None


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
    heard = snapshot.metrics_time
    return bool(snapshot.tasks) and (heard is None or heard <= snapshot.tasks[-1].time)


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
        wanted = None if value is None or missing is None else value + missing
        return CriterionProgress(
            _LABELS[name], "", value, wanted, missing, _counted(snapshot, name, missing), whole=True
        )
    of_plan = next((one for one in phase.until if one.name == name), None) if phase else None
    known = of_plan or PlannedCriterion(name=name, label=name.replace("_", " "), unit="", value=0.0, less=False)
    wanted = known.value if of_plan is not None else None
    steps = 0.0 if missing == 0 else _trend(snapshot, CURRICULUM + name, missing, known.less)
    return CriterionProgress(known.label, known.unit, value, wanted, missing, steps, known.less)


def _counted(snapshot: RunSnapshot, name: str, missing: float | None) -> float | None:
    """Timesteps are counted one by one; iterations at their present size."""
    if missing is None or name == "min_steps":
        return missing
    steps = snapshot.history.timesteps[: snapshot.history.length][-6:]
    sizes = [after - before for before, after in pairwise(steps)]
    return 0.0 if missing == 0 else missing * fmean(sizes) if sizes else None


def _trend(snapshot: RunSnapshot, key: str, missing: float | None, less: bool) -> float | None:
    history, began = snapshot.history, snapshot.tasks[-1].timesteps if snapshot.tasks else 0
    newest = slice(max(history.length - TREND, 0), history.length)
    xs, ys = history.timesteps[newest], history.columns.get(key, history.timesteps[:0])[newest]
    points = [(x, y) for x, y in zip(xs, ys, strict=False) if y == y and x > began]
    if missing is None or len(points) < FEWEST_FOR_PROMOTION:
        return None
    steps = steps_until(points, -missing if less else missing)
    return steps if steps is not None and steps <= FARTHEST * (points[-1][0] - points[0][0]) else None


def steps_until(points: Sequence[tuple[float, float]], rise: float) -> float | None:
    """Timesteps until the figure has risen by `rise` (negative: fallen), by the least-squares line through the points
    (x, y): rise · Σ(x − x̄)² / Σ(x − x̄)(y − ȳ). None where it goes the other way, or wanders: |r| below SURE.
    """
    middle_x, middle_y = fmean(x for x, _ in points), fmean(y for _, y in points)
    xx = sum((x - middle_x) ** 2 for x, _ in points)
    yy = sum((y - middle_y) ** 2 for _, y in points)
    xy = sum((x - middle_x) * (y - middle_y) for x, y in points)
    if xy * rise <= 0 or xy * xy < SURE * SURE * xx * yy:
        return None
    return rise * xx / xy


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

    Of a session that has ended without an iteration: of the one before.
    """
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
