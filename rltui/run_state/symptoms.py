"""Metrics outside their usual range, and workers that are not well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from rltui import formatting
from rltui.events import metric_keys
from rltui.events.commands import stopped_words
from rltui.events.metric_health import FEW_ACTIONS, SYMPTOMS, side_of, usual_range
from rltui.events.metrics import metric_of
from rltui.run_state.change_command import PROFILE, typed
from rltui.run_state.snapshot import ChartMark, RunSnapshot, WorkerRow
from rltui.run_state.trend import Symptom

WINDOW = 20  # iterations that are judged together
MANY, FEW = 15, 5  # of them outside the usual range: ill from the one on, well again from the other
STEP = 10  # iterations from one look back to the next
FARTHEST = 1000  # iterations looked back
SETTLED = 100  # iterations before a critic is judged
BEFORE = 50  # iterations from a change to what it does
BEAT_LATE = 3.0  # seconds of its own without a heartbeat that are worth a word
SLOW = 0.5  # of the others' median speed
OFTEN = 3  # restarts that are worth a word
Word = tuple[str, str]  # text, role


def symptoms(snapshot: RunSnapshot, first: int, end: int) -> list[Symptom]:
    """Of rows [first, end), in the order of the metric table."""
    found = _dropped(snapshot, max(end - WINDOW, first))
    few = snapshot.header is not None and snapshot.header.actions < FEW_ACTIONS
    for key, health in SYMPTOMS.items():
        if few and key == metric_keys.ENTROPY:
            continue
        column = snapshot.history.columns.get(key)
        if column is not None and end - first >= (SETTLED if health.settles else WINDOW):
            found += _outside(snapshot, key, column[max(first, end - FARTHEST) : end], end)
    return found


def _dropped(snapshot: RunSnapshot, row: int) -> list[Symptom]:
    """Updates, since this row."""
    history = snapshot.history
    since = history.timesteps[row] if row < history.length else math.inf
    found = [mark.label for mark in snapshot.marks if mark.kind == "dropped" and mark.timesteps >= since]
    return [Symptom(f"{formatting.plural(len(found), 'update')} dropped: {found[-1]}", "see the log")] if found else []


def _outside(snapshot: RunSnapshot, key: str, values: Sequence[float], end: int) -> list[Symptom]:
    """values: the newest before row `end`."""
    health = SYMPTOMS[key]
    began = began_at(values, lambda value: side_of(health, value) == health.ill)
    if began is None:
        return []
    start = end - len(values)
    change = _change_before(snapshot, start, start + began) if began or len(values) < FARTHEST else None
    known = [value for value in values[-WINDOW:] if math.isfinite(value)]
    figure = formatting.number(median(known) if known else None)
    since = f", since {change.label} at {formatting.short(change.timesteps)}" if change else ""
    words = f"{metric_of(key).label} {figure}, usual {usual_range(health)}{since}"
    usual = health.if_low if health.ill == "low" else health.if_high
    return [Symptom(words, _take_back(snapshot, change) if change else usual)]


def _take_back(snapshot: RunSnapshot, change: ChartMark) -> str:
    """How to undo a setting by hand, and what to go back to from before it."""
    held = snapshot.header.by_hand if snapshot.header is not None else {}
    ways = [f"take it back: `{typed(change.setting)} {PROFILE}`"] if change.setting in held else []
    return ", or ".join([*ways, f"go back to {_state_before(snapshot, change.timesteps)}"])


def _state_before(snapshot: RunSnapshot, timesteps: int) -> str:
    """The newest milestone or checkpoint that is no newer, and how to go on from it."""
    milestones = [(mark.timesteps, "milestone", mark.label) for mark in snapshot.marks if mark.kind == "milestone"]
    saved = [(steps, "checkpoint", str(steps)) for steps in snapshot.kept] + milestones
    before = [state for state in saved if state[0] <= timesteps]
    if not before or snapshot.header is None:
        return "a checkpoint from before it"
    _, kind, label = max(before)
    return (
        f"{formatting.state_name(kind, label)}: `rltui train {snapshot.header.profile} --resume {snapshot.run}/{label}`"
    )


def began_at(values: Sequence[float], outside: Callable[[float], bool]) -> int | None:
    """The place at which it began that the newest are outside; None where they are not.

    Of WINDOW together MANY make ill and FEW well; between the two it stays as it was. Where they were never well, the first
    that is outside.
    """

    def count(end: int) -> int:
        return sum(map(outside, values[end - WINDOW : end]))

    ends = range(len(values), WINDOW - 1, -STEP)
    if next((found for found in map(count, ends) if not FEW < found < MANY), 0) < MANY:
        return None
    well = next((place for place, end in enumerate(ends) if count(end) <= FEW), None)
    start = ends[well - 1] - WINDOW if well is not None else 0
    return next(row for row in range(start, len(values)) if outside(values[row]))


def _change_before(snapshot: RunSnapshot, start: int, row: int) -> ChartMark | None:
    """The newest change shortly before this row began, from where row `start` did on."""
    steps = snapshot.history.timesteps
    since = steps[max(row - BEFORE, start - 1, 0)]
    near = [mark for mark in snapshot.marks if mark.kind == "changed" and since <= mark.timesteps <= steps[row]]
    return near[-1] if near else None


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
    """Unix seconds of when the trainer took up what it does: nobody owes a heartbeat for before. Infinite while paused, and
    before the first iteration of a start or task: workers are begun anew, with arenas that are slow at first.
    """
    begun = [record.timesteps for record in (snapshot.opened, *snapshot.tasks[-1:]) if record is not None]
    first = snapshot.state == "starting" or (bool(begun) and snapshot.timesteps <= max(begun))
    return math.inf if snapshot.paused or first else snapshot.state_since or 0.0


def silence(row: WorkerRow, now: float, since: float) -> float | None:
    """Seconds that a worker owed a heartbeat, as the trainer has last told: its own, as far as those are known. None: it owes
    none, or has not been silent for long. since: `at_work_since`.
    """
    own = row.heartbeat_age if row.own_silence is None else row.own_silence
    return own if own is not None and min(own, now - since) > BEAT_LATE else None


def worker_problem(row: WorkerRow, now: float, usual: float | None, since: float = 0.0) -> Word | None:
    """What is wrong with a worker of a run that goes on, worst first; None for a healthy one. since: `at_work_since`."""
    if row.state == "failed":
        return "failed", "bad"
    if row.state == "stopped":
        return stopped_words(row.pid), "bad"
    if row.state == "starved":
        return "too little of the processor", "warn"
    if row.state == "restarting":
        return "restarting", "warn"
    age = beat_age(row, now)
    if row.state == "busy":
        return f"busy in its step for {formatting.age(age)}", "warn"
    if (silent := silence(row, now, since)) is not None:
        return f"silent {formatting.age(silent)}", "bad"
    if usual and row.steps_per_second is not None and row.steps_per_second < SLOW * usual:
        return f"slow: {100 * row.steps_per_second / usual:.0f} % of the others", "warn"
    return (f"restarted {row.restarts} times", "warn") if row.restarts >= OFTEN else None
