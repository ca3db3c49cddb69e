"""Which worker is ill, in a word. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from rltui import formatting
from rltui.tui.run.model import RunSnapshot, WorkerRow

BEAT_LATE = 3.0  # seconds without a heartbeat that are worth a word
SLOW = 0.5  # of the others' median speed
OFTEN = 3  # restarts that are worth a word
Word = tuple[str, str]  # text, role


def beat_age(row: WorkerRow, now: float) -> float | None:
    """Seconds since the last heartbeat; None where unknown."""
    if row.heartbeat_age is None or row.heard is None:
        return None
    return row.heartbeat_age + max(now - row.heard, 0)


def usual_speed(rows: Sequence[WorkerRow]) -> float | None:
    """The median of the workers' steps per second; None with fewer than three to compare."""
    rates = [row.steps_per_second for row in rows if row.steps_per_second is not None]
    return median(rates) if len(rates) >= 3 else None


def at_work_since(snapshot: RunSnapshot) -> float:
    """Unix seconds of when the trainer took up what it does: nobody owes a heartbeat for before. Infinite while paused."""
    return math.inf if snapshot.paused else snapshot.state_since or 0.0


def illness(row: WorkerRow, now: float, usual: float | None, since: float = 0.0) -> Word | None:
    """What is wrong with a worker of a run that goes on, worst first; None for a healthy one. since: `at_work_since`."""
    if row.state == "failed":
        return "failed", "bad"
    if row.state == "restarting":
        return "restarting", "warn"
    age = beat_age(row, now)
    if age is not None and min(age, now - since) > BEAT_LATE:
        return f"silent {formatting.age(age)}", "bad"
    if usual and row.steps_per_second is not None and row.steps_per_second < SLOW * usual:
        return f"slow: {100 * row.steps_per_second / usual:.0f} % of the others", "warn"
    return (f"restarted {row.restarts} times", "warn") if row.restarts >= OFTEN else None
