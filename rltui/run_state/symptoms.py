"""Metrics outside their usual range, and workers that are not well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.metric_health import Health, side_of, usual_range
from rltui.events.metrics import health_of, metric_of
from rltui.events.records import reward_of
from rltui.run_state.history import History
from rltui.run_state.snapshot import ChartMark, RunSnapshot, WorkerRow
from rltui.run_state.trend import Symptom

WINDOW = 20  # newest iterations that are judged, by their median
STEP = 10  # iterations that are looked at together for since when it is so
FARTHEST = 1000  # iterations looked back
SETTLED = 100  # iterations after a start or a change of rewards before a critic is judged
BEAT_LATE = 3.0  # seconds without a heartbeat that are worth a word
SLOW = 0.5  # of the others' median speed
OFTEN = 3  # restarts that are worth a word
Word = tuple[str, str]  # text, role


@dataclass(frozen=True, slots=True)
class _Sign:
    """A figure of health, and the side of its usual range on which it is a symptom."""

    key: str
    side: Literal["low", "high"]
    settles: bool = False  # it is usual for a while after a start or a change of rewards


SIGNS = (
    _Sign(metric_keys.APPROX_KL, "high"),
    _Sign(metric_keys.CLIP_FRACTION, "high"),
    _Sign(metric_keys.ENTROPY, "low"),
    _Sign(metric_keys.VALUE_LOSS, "high", settles=True),
    _Sign(metric_keys.EXPLAINED_VARIANCE, "low", settles=True),
    _Sign(metric_keys.REWARD_CLIPPED, "high"),
)


def symptoms(snapshot: RunSnapshot, since: int) -> list[Symptom]:
    """Worst first. since: the first row under the present rewards."""
    history = snapshot.history
    found = _dropped(snapshot)
    for sign in SIGNS:
        if not sign.settles or history.length - since >= SETTLED:
            found += _outside(history, sign)
    return found


def broken_at(marks: Sequence[ChartMark]) -> int:
    """Timesteps of the newest change of what is paid: a phase, a stage, a reward's weight by hand; −1 where there is none."""
    changes = (mark.timesteps for mark in marks if mark.kind == "task" or _is_reward(mark))
    return max(changes, default=-1)


def _is_reward(mark: ChartMark) -> bool:
    return mark.kind == "changed" and reward_of(mark.setting) is not None


def _dropped(snapshot: RunSnapshot) -> list[Symptom]:
    history = snapshot.history
    first = max(history.length - WINDOW, 0)
    from_steps = history.timesteps[first] if history.length else 0
    found = [mark for mark in snapshot.marks if mark.kind == "dropped" and mark.timesteps >= from_steps]
    if not found:
        return []
    rows = history.length - first
    return [
        Symptom(f"{formatting.plural(len(found), 'update')} dropped, newest by {found[-1].label}", rows, "see the log")
    ]


def _outside(history: History, sign: _Sign) -> list[Symptom]:
    column = history.columns.get(sign.key)
    health = health_of(sign.key)
    if column is None or history.length < WINDOW:
        return []
    value = _median(column[history.length - WINDOW : history.length])
    if side_of(health, value) != sign.side:
        return []
    rows = _rows_outside(column, history.length, health, sign.side)
    side = "below" if sign.side == "low" else "above"
    words = f"{metric_of(sign.key).label} {formatting.number(value)}, {side} the usual {usual_range(health)}"
    return [Symptom(words, rows, health.if_low if sign.side == "low" else health.if_high)]


def _rows_outside(column: Sequence[float], length: int, health: Health, side: str) -> int:
    """Iterations back to the first STEP of them that were not outside."""
    rows = WINDOW
    while rows < min(length, FARTHEST):
        part = column[max(length - rows - STEP, 0) : length - rows]
        if side_of(health, _median(part)) != side:
            break
        rows += len(part)
    return rows


def _median(values: Sequence[float]) -> float | None:
    known = [value for value in values if math.isfinite(value)]
    return median(known) if known else None


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


def worker_problem(row: WorkerRow, now: float, usual: float | None, since: float = 0.0) -> Word | None:
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
