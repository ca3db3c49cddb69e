"""What a trainer that has just opened its run says of it: what it goes on with and why, and its warnings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rltui.events.records import CurriculumPlanned, LogLine, Record, RunResumed, RunStarted
from rltui.runs.journal import read_end

LOOK_INTERVAL = 0.02  # seconds
PATIENCE = 2.0  # seconds; they are written right behind the header


def first_words(journal: Path, pid: int, patience: float = PATIENCE) -> list[str]:
    """The reason first, warnings marked as such; as many as are there within `patience` seconds. pid: the trainer's."""
    deadline = time.monotonic() + patience
    while True:
        told = _since_start(read_end(journal), pid)
        if any(isinstance(record, CurriculumPlanned) for record in told) or time.monotonic() >= deadline:
            return [words for record in told if (words := _words(record))]
        time.sleep(LOOK_INTERVAL)


def _since_start(records: Sequence[Record], pid: int) -> list[Record]:
    """Behind this trainer's header, up to the curriculum's plan, which comes last."""
    starts = [index for index, one in enumerate(records) if isinstance(one, RunStarted) and one.pid == pid]
    told = list(records[starts[-1] + 1 :]) if starts else []
    plans = [index for index, one in enumerate(told) if isinstance(one, CurriculumPlanned)]
    return told[: plans[0] + 1] if plans else told


def _words(record: Record) -> str:
    match record:
        case RunResumed(reason=reason):
            return reason
        case LogLine(level="info", source="runs", message=message):
            return message
        case LogLine(level="warning" | "error", message=message):
            return f"! {message}"
        case _:
            return ""
