"""Settling: the rewards of a time in which mostly short episodes have ended say nothing of the bot. Pure.

All arenas begin at once, at a start, a resume or a new phase; until the longest of their first episodes has ended, about
one timeout later, those that have ended are the short ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rltui.events.episode_reward import FIRST_EPISODES, mostly_short
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot


def settling(snapshot: RunSnapshot) -> bool:
    """Whether the newest iteration's rewards are those of short episodes."""
    return mostly_short(snapshot.metrics.get(FIRST_EPISODES))


def settled(history: History, key: str, start: int = 0, stop: int | None = None) -> Sequence[float]:
    """The metric of rows [start, stop), NaN also where mostly short episodes had ended; empty where no row has it."""
    values, first = history.columns.get(key), history.columns.get(FIRST_EPISODES)
    if values is None:
        return ()
    rows = slice(start, history.length if stop is None else stop)
    found = values[rows]
    if first is None or not any(map(mostly_short, marks := first[rows])):
        return found
    return [math.nan if mostly_short(mark) else value for value, mark in zip(found, marks, strict=True)]
