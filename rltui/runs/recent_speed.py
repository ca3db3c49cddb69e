"""How fast a run is: over its newest iterations together, for one alone says as much of its pauses as of the run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import IterationFinished, Record, RunFinished, RunStarted

MOST = 20  # iterations


class RecentSpeed(msgspec.Struct, frozen=True):
    """steps_per_second: of whole iterations, pauses left out. iterations: over so many."""

    steps_per_second: float
    iterations: int


def recent_speed(records: Sequence[Record]) -> RecentSpeed | None:
    """Of the newest session; of one that has ended without an iteration, the one before. None where none is known."""
    speeds: list[float | None] = []
    ended = False
    for record in reversed(records):
        ended = ended or isinstance(record, RunFinished)
        if len(speeds) == MOST or (isinstance(record, RunStarted) and (speeds or not ended)):
            break
        if isinstance(record, IterationFinished):
            speeds.append(record.metrics.get(OVERALL_SPEED))
    return mean_speed(speeds)


def mean_speed(speeds: Iterable[float | None]) -> RecentSpeed | None:
    """Of iterations of one size: steps by time, the harmonic mean. None where none is known."""
    known = [speed for speed in speeds if speed is not None and math.isfinite(speed) and speed > 0]
    return RecentSpeed(len(known) / math.fsum(1 / speed for speed in known), len(known)) if known else None
