"""How long the newest iterations took and their parts, on average: of one alone another part is the longest each time. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rltui.runs.journal_reader import mean_speed
from rltui.tui.run import pace
from rltui.tui.run.model import RunSnapshot

WORKER_SECONDS = re.compile(r"worker/\d+/seconds")
_RATE = "_per_second"


@dataclass(frozen=True, slots=True)
class IterationTimes:
    """metrics: `time/…` and the workers' seconds. iterations: over so many; 0: they are of the newest before this start."""

    metrics: Mapping[str, float | None]
    iterations: int


def iteration_times(snapshot: RunSnapshot) -> IterationTimes:
    """Over the iterations that the run's speed is of; steps a second as steps by time, the harmonic mean."""
    first, end = pace.newest_rows(snapshot)
    told = {key: value for key, value in snapshot.metrics.items() if _is_time(key)}
    columns = snapshot.history.columns
    means = {key: _mean(key, columns[key][first:end]) if key in columns else value for key, value in told.items()}
    return IterationTimes(means if end > first else told, end - first)


def _is_time(key: str) -> bool:
    return key.startswith("time/") or WORKER_SECONDS.fullmatch(key) is not None


def _mean(key: str, values: Sequence[float]) -> float | None:
    """Of those known; None where none is."""
    if key.endswith(_RATE):
        speed = mean_speed(values)
        return speed.steps_per_second if speed is not None else None
    known = [value for value in values if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else None
