"""How far to the next checkpoint, milestone, phase and the end, and how long that takes at the present speed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.promotion import is_last_phase, metrics_of, steps_by_skill, ways

WINDOW = 20  # iterations that the speed is averaged over
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
    """Overall steps per second, mean of the last iterations."""
    return snapshot.history.mean("time/overall_steps_per_second", WINDOW)


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
    skill, latest = steps_by_skill(found), metrics_of(snapshot).get("curriculum/max_steps_left")
    by_skill = skill is not None and (latest is None or skill <= latest)
    steps = skill if by_skill else latest
    share = min(shares) if len(shares) == len(found) else None
    seconds = None if steps is None else _seconds(snapshot, steps)
    return [Goal("promotion", None, share, seconds, reached, "trend" if by_skill else "latest")]


def _seconds(snapshot: RunSnapshot, steps: float) -> float | None:
    if snapshot.paused:
        return None
    pace = snapshot.history.mean("time/overall_steps_per_second", WINDOW, FEWEST)
    return steps / pace if pace else None
