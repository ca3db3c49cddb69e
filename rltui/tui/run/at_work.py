"""How long a run was at work between two iterations: what passed while it was paused or stopped is left out. Pure."""

from __future__ import annotations

import math
from itertools import pairwise

from rltui.events.metric_keys import ITERATION_SECONDS
from rltui.events.records import CLOCK
from rltui.tui.run.history import History


def at_work(history: History, start: int, end: int) -> float | None:
    """Seconds from the end of row `start` to that of the last row before `end`; None where they are not known.

    Of a row that does not tell its own seconds, those since the row before it.
    """
    first, last = start + 1, min(end, history.length)
    if last <= first or (ITERATION_SECONDS not in history.columns and CLOCK not in history.columns):
        return None
    own = (
        history.columns[ITERATION_SECONDS][first:last]
        if ITERATION_SECONDS in history.columns
        else [math.nan] * (last - first)
    )
    total = math.fsum(own)
    if math.isnan(total) and CLOCK in history.columns:
        clock = history.columns[CLOCK][start:last]
        passed = (after - before for before, after in pairwise(clock))
        total = math.fsum(gap if math.isnan(each) else each for each, gap in zip(own, passed, strict=True))
    return None if math.isnan(total) else total
