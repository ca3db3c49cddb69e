"""How far to the next checkpoint, milestone and the end, and how long that takes at the present speed. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui.run.model import RunSnapshot

WINDOW = 20  # iterations that the speed is averaged over
FEWEST = 3  # iterations before an estimate is shown


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that steps lead to. seconds: None where the speed is not known yet."""

    name: str
    target: int
    share: float  # 0–1 of the way since the one before
    seconds: float | None


def speed(snapshot: RunSnapshot) -> float | None:
    """Overall steps per second, mean of the last iterations."""
    return snapshot.history.mean("time/overall_steps_per_second", WINDOW)


def goals(snapshot: RunSnapshot) -> list[Goal]:
    """Checkpoint, milestone and, where there is one, the step limit. Empty before the run's first record."""
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
    if header.step_limit is not None:
        found.append(_goal(snapshot, "limit", 0, header.step_limit))
    return found


def _goal(snapshot: RunSnapshot, name: str, start: int, target: int) -> Goal:
    steps = snapshot.timesteps
    share = min(max((steps - start) / max(target - start, 1), 0.0), 1.0)
    pace = snapshot.history.mean("time/overall_steps_per_second", WINDOW, FEWEST)
    seconds = max(target - steps, 0) / pace if pace else None
    return Goal(name, target, share, seconds)
