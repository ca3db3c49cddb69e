"""How far to the next checkpoint, milestone, phase and the end, and how long that takes at the present speed. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from rltui.events import metric_keys
from rltui.runs.journal_reader import MOST, RecentSpeed, mean_speed
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.promotion import is_last_phase, metrics_of, steps_by_skill, ways

FEWEST = 3  # iterations before an estimate is shown


@dataclass(frozen=True, slots=True)
class Goal:
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
    return max(history.length - MOST, first), history.length


def _begun(snapshot: RunSnapshot) -> float:
    """Timesteps from which the session has trained whose speed is told."""
    if snapshot.finished is None and snapshot.opened is not None:
        return snapshot.opened.timesteps
    last = snapshot.history.timesteps[snapshot.history.length - 1]
    starts = [mark.timesteps for mark in snapshot.marks if mark.kind == "resume"]
    starts += [snapshot.opened.timesteps] if snapshot.opened is not None else []
    return max((start for start in starts if start < last), default=-1)


def goals(snapshot: RunSnapshot) -> list[Goal]:
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


def _goal(snapshot: RunSnapshot, name: str, start: int, target: int) -> Goal:
    steps = snapshot.timesteps
    share = min(max((steps - start) / max(target - start, 1), 0.0), 1.0)
    return Goal(name, target, share, _seconds(snapshot, max(target - steps, 0)))


def _promotion(snapshot: RunSnapshot) -> list[Goal]:
    """The next phase of a campaign; its share is that of the criterion farthest away."""
    found = [] if is_last_phase(snapshot) else ways(snapshot)
    if not found:
        return []
    shares = [way.share for way in found if way.share is not None]
    reached = f"{sum(way.missing == 0 for way in found)} of {len(found)}"
    skill, latest = steps_by_skill(found), metrics_of(snapshot).get(metric_keys.MAX_STEPS_LEFT)
    by_skill = skill is not None and (latest is None or skill <= latest)
    steps = skill if by_skill else latest
    share = min(shares) if len(shares) == len(found) else None
    seconds = None if steps is None else _seconds(snapshot, steps)
    return [Goal("promotion", None, share, seconds, reached, "trend" if by_skill else "latest")]


def _seconds(snapshot: RunSnapshot, steps: float) -> float | None:
    if snapshot.paused:
        return None
    pace = recent(snapshot)
    return steps / pace.steps_per_second if pace is not None and pace.iterations >= FEWEST else None
