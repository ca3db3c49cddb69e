"""How fast a run is: over its newest iterations together, for one alone says as much of its pauses as of the run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rltui.events.records import IterationFinished, Record, RunStarted

SPEED = "time/overall_steps_per_second"
MOST = 20  # iterations


class RecentSpeed(msgspec.Struct, frozen=True):
    """steps_per_second: overall. iterations: over so many."""

    steps_per_second: float
    iterations: int


def recent_speed(records: Sequence[Record]) -> RecentSpeed | None:
    """Of the newest session, whose iterations are of one size: steps by time, the harmonic mean. None where none is known."""
    speeds: list[float] = []
    for record in reversed(records):
        if len(speeds) == MOST or (isinstance(record, RunStarted) and speeds):
            break
        speed = record.metrics.get(SPEED) if isinstance(record, IterationFinished) else None
        if speed is not None and math.isfinite(speed) and speed > 0:
            speeds.append(speed)
    return RecentSpeed(len(speeds) / sum(1 / speed for speed in speeds), len(speeds)) if speeds else None
