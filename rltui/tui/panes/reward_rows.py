"""The rewards of the newest iteration as rows: size, share, change, weight, in an order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.events.episode_reward import PART, REWARD, WEIGHT
from rltui.events.records import weight_of
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.since import change_since

LOOK_BACK = 1000  # iterations, after which figures of ended episodes are too old to show


@dataclass(frozen=True, slots=True)
class RewardRow:
    """value: mean weighted contribution to a car's episode. share: of all sizes together, 0–1.

    change: as charts tell it. trend: 1 up, -1 down, 0 neither or unknown. weight: in force where a schedule or
    somebody by hand has changed it; None while it is just as in the profile.
    """

    name: str
    value: float | None
    share: float | None
    change: float | None
    trend: int
    weight: float | None


def newest_paid(snapshot: RunSnapshot) -> tuple[RunSnapshot, int]:
    """(snapshot, age): with the rewards of the newest iteration in which episodes ended, and how many iterations ago that was.

    As it is, and 0, where none have ended in this lesson, or since a start from which on other rewards are paid.
    """
    keys = {key for key in snapshot.metrics if key.startswith(PART)}
    history, begun = snapshot.history, snapshot.lessons[-1].timesteps if snapshot.lessons else -1
    columns = {key: column for key, column in history.columns.items() if key.startswith(PART) or key == REWARD}
    if any(formatting.known(snapshot.metrics[key]) for key in keys):
        return snapshot, 0
    for row in range(history.length - 1, max(history.length - 1 - LOOK_BACK, -1), -1):
        if history.timesteps[row] <= begun:
            break
        told = {key: column[row] for key, column in columns.items() if formatting.known(column[row])}
        if paid := told.keys() - {REWARD}:
            found = replace(snapshot, metrics={**snapshot.metrics, **told})
            return (found, history.length - 1 - row) if paid == keys else (snapshot, 0)
    return snapshot, 0


def rows_of(snapshot: RunSnapshot) -> list[RewardRow]:
    """One for each reward of the match, in the header's order, then by name."""
    metrics = snapshot.metrics
    names = [key.removeprefix(PART) for key in metrics if key.startswith(PART)]
    known = snapshot.header.reward_names if snapshot.header is not None else []
    names.sort(key=lambda name: (known.index(name) if name in known else len(known), name))
    sizes = sum(abs(value) for name in names if (value := _known(metrics.get(PART + name))) is not None)
    return [_row(snapshot, name, sizes) for name in names]


def _row(snapshot: RunSnapshot, name: str, sizes: float) -> RewardRow:
    value = _known(snapshot.metrics.get(PART + name))
    share = abs(value) / sizes if value is not None and sizes else None
    change = change_since(snapshot.history, PART + name)
    by, way = (change.value, change.way) if change is not None else (None, 0)
    return RewardRow(name, value, share, by, way, _known(snapshot.metrics.get(WEIGHT + name)))


ORDERS: Sequence[tuple[str, Callable[[RewardRow], tuple[object, ...]]]] = (
    ("largest first", lambda row: (row.value is None, -abs(row.value or 0.0), row.name)),
    ("as in the profile", lambda row: ()),
    ("most changed first", lambda row: (row.change is None, -abs(row.change or 0.0), row.name)),
    ("by name", lambda row: (row.name,)),
)


def ordered(rows: Sequence[RewardRow], order: int) -> list[RewardRow]:
    """order: index in ORDERS."""
    return sorted(rows, key=ORDERS[order][1])


def weight_marks(snapshot: RunSnapshot, name: str) -> list[float]:
    """Timesteps at which this reward's weight was changed by hand, a new phase or stage began, or the run was resumed."""
    return [
        mark.timesteps
        for mark in snapshot.marks
        if mark.kind in ("lesson", "resume") or (mark.kind == "changed" and mark.setting == weight_of(name))
    ]


def _known(value: float | None) -> float | None:
    return value if formatting.known(value) else None
