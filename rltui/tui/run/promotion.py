"""How far a run is from its campaign's next phase, and when it will be there by its own trend. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from rltui.events import metric_keys
from rltui.events.promotion import CURRICULUM, WHOLE, distances
from rltui.events.records import PhasePlan, Wanted
from rltui.tui.run.model import RunSnapshot

TREND = 50  # newest iterations that a trend is read from
FEWEST = 10  # iterations before there is one
SURE = 0.5  # correlation below which the figure wanders, and does not rise
FARTHEST = 20  # times the time seen so far: beyond that nothing can be said


@dataclass(frozen=True, slots=True)
class Way:
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
    """The place among the plan's phases, from 0; None outside campaigns, and where nobody has said it yet."""
    plan = snapshot.plan
    if plan is None or not plan.phases:
        return None
    position = snapshot.metrics.get(metric_keys.POSITION)
    names = [phase.profile for phase in plan.phases]
    if is_new(snapshot) and snapshot.lessons[-1].to in names:
        return names.index(snapshot.lessons[-1].to)
    if position is not None and 1 <= position <= len(names):
        return int(position) - 1
    numbers = [phase.number for phase in plan.phases]
    number = snapshot.header.phase if snapshot.header else None
    return numbers.index(number) if number in numbers else None


def is_new(snapshot: RunSnapshot) -> bool:
    """Whether the lesson has only just begun: the metrics are still of the one before."""
    heard = snapshot.metrics_time
    return bool(snapshot.lessons) and (heard is None or heard <= snapshot.lessons[-1].time)


def metrics_of(snapshot: RunSnapshot) -> Mapping[str, float | None]:
    """What this lesson's iterations have said; empty before the first."""
    return {} if is_new(snapshot) else snapshot.metrics


def ways(snapshot: RunSnapshot) -> list[Way]:
    """Everything that the next phase waits for, in the profile's order; the least timesteps and the full window last."""
    now = phase_now(snapshot)
    phase = snapshot.plan.phases[now] if snapshot.plan is not None and now is not None else None
    found = [_way(snapshot, phase, one.name, one.value, one.missing) for one in distances(metrics_of(snapshot))]
    if not found and phase is not None and snapshot.plan is not None and phase is not snapshot.plan.phases[-1]:
        found = [_way(snapshot, phase, wanted.name, None, None) for wanted in phase.until]  # before the first iteration
    return sorted(found, key=lambda way: way.whole)


def _way(snapshot: RunSnapshot, phase: PhasePlan | None, name: str, value: float | None, missing: float | None) -> Way:
    if name in WHOLE:
        wanted = None if value is None or missing is None else value + missing
        return Way(_LABELS[name], "", value, wanted, missing, _counted(snapshot, name, missing), whole=True)
    of_plan = next((one for one in phase.until if one.name == name), None) if phase else None
    known = of_plan or Wanted(name=name, label=name.replace("_", " "), unit="", value=0.0, less=False)
    wanted = known.value if of_plan is not None else None
    steps = 0.0 if missing == 0 else _trend(snapshot, CURRICULUM + name, missing, known.less)
    return Way(known.label, known.unit, value, wanted, missing, steps, known.less)


_LABELS = {"min_steps": "timesteps", "window": "iterations"}


def _counted(snapshot: RunSnapshot, name: str, missing: float | None) -> float | None:
    """Timesteps are counted one by one; iterations at their present size."""
    if missing is None or name == "min_steps":
        return missing
    steps = snapshot.history.timesteps[: snapshot.history.length][-6:]
    sizes = [after - before for before, after in pairwise(steps)]
    return 0.0 if missing == 0 else missing * fmean(sizes) if sizes else None


def _trend(snapshot: RunSnapshot, key: str, missing: float | None, less: bool) -> float | None:
    history, began = snapshot.history, snapshot.lessons[-1].timesteps if snapshot.lessons else 0
    newest = slice(max(history.length - TREND, 0), history.length)
    xs, ys = history.timesteps[newest], history.columns.get(key, history.timesteps[:0])[newest]
    points = [(x, y) for x, y in zip(xs, ys, strict=False) if y == y and x > began]
    if missing is None or len(points) < FEWEST:
        return None
    steps = until(points, -missing if less else missing)
    return steps if steps is not None and steps <= FARTHEST * (points[-1][0] - points[0][0]) else None


def until(points: Sequence[tuple[float, float]], rise: float) -> float | None:
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


def steps_by_skill(found: Sequence[Way]) -> float | None:
    """Timesteps until all of it is reached by the trend; None where one of them is unknown, and where nothing is wanted."""
    known = [way.steps for way in found if way.steps is not None]
    return max(known) if found and len(known) == len(found) else None


def is_last_phase(snapshot: RunSnapshot) -> bool:
    """No phase follows: nothing is waited for."""
    plan, now = snapshot.plan, phase_now(snapshot)
    return plan is not None and now is not None and now + 1 == len(plan.phases)
