"""Whether two stretches of training were paid by the same rewards, as far as their rows tell. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping

from rltui import formatting
from rltui.events.episode_reward import PART, WEIGHT
from rltui.events.records import RunStarted, weight_of
from rltui.tui.run.history import History

SAYS = "rewards differ, not comparable"
FARTHEST = 1000  # rows looked back for one in which episodes ended
NAMED = 3  # differences told one by one
PROFILE = "as in its profile"  # a row has a weight only where it is not


def paid(history: History, row: int, profile: Mapping[str, float] | None = None) -> dict[str, float | None]:
    """The rewards of that row with their weights in force; None: as its profile has it. Negative rows count from the end.

    profile: the weights that it has, where those are known; a schedule's or one set by hand stands in the row.
    """
    row = row if row >= 0 else history.length + row
    if not 0 <= row < history.length:
        return {}
    return {name: _weight(history, row, name, profile or {}) for name in _names(history, row)}


def steady_weights(history: History, timesteps: int, header: RunStarted) -> dict[str, float]:
    """The rewards' weights in force at `timesteps`, but for those that follow a schedule. header: the one before them."""
    row = bisect_right(history.timesteps, timesteps, 0, history.length) - 1
    found = {}
    for name, told in header.reward_weights.items():
        column = history.columns.get(WEIGHT + name)
        in_row = column[row] if column is not None and row >= 0 else math.nan
        if math.isnan(in_row):
            found[name] = told  # as the profile has it, always the same
        elif weight_of(name) in header.by_hand:
            found[name] = in_row
    return found


def _names(history: History, row: int) -> list[str]:
    """Of the rewards at this row, or at the newest before it in which episodes ended."""
    columns = {key.removeprefix(PART): column for key, column in history.columns.items() if key.startswith(PART)}
    for back in range(row, max(row - FARTHEST, -1), -1):
        if names := [name for name, column in columns.items() if math.isfinite(column[back])]:
            return names
    return []


def _weight(history: History, row: int, name: str, profile: Mapping[str, float]) -> float | None:
    column = history.columns.get(WEIGHT + name)
    return column[row] if column is not None and math.isfinite(column[row]) else profile.get(name)


def apart(
    left: dict[str, float | None], right: dict[str, float | None], names: tuple[str, str] = ("left", "right")
) -> list[str]:
    """Where they differ, in words: `touch 2.00 → 5.00`, `goal: only right`. Empty where the same, or one is not known."""
    if not left or not right:
        return []
    found = [f"{name}: only {names[name in right]}" for name in sorted(left.keys() ^ right.keys())]
    both = [name for name in left if name in right and left[name] != right[name]]
    return found + [f"{name} {_words(left[name])} → {_words(right[name])}" for name in both]


def told(differences: list[str]) -> str:
    """In one line; empty where there are none."""
    if not differences:
        return ""
    more = len(differences) - NAMED
    return f"{SAYS}: {', '.join(differences[:NAMED])}" + (f" and {more} more" if more > 0 else "")


def _words(weight: float | None) -> str:
    return PROFILE if weight is None else formatting.number(weight)
