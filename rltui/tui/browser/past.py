"""The past of two saved states: what the journals of their runs tell up to where they were saved. Pure but for the reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rltui.events.records import (
    IterationFinished,
    PhaseChanged,
    Record,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
)
from rltui.runs.journal import read_journal
from rltui.runs.journal_reader import current_line
from rltui.runs.paths import DataDir
from rltui.tui.run.history import History

Place = tuple[str, int]  # a run, and the timesteps at which one of its states was saved
Weights = Mapping[str, float]


@dataclass(frozen=True)
class Curves:
    """own: iterations of the newer one's run; where training led from the older to it, those between the two.

    other: of the older one's run, where that is another line of training. Both up to the state that is compared.
    marks: timesteps of resumes, phases and changes by hand in `own`. weights: of the rewards at the older and at the newer
    one as their profiles had them, empty where that is not told. problem: why nothing can be read.
    """

    own: History
    other: History | None = None
    marks: Sequence[float] = ()
    weights: tuple[Weights, Weights] = field(default_factory=lambda: ({}, {}))
    problem: str = ""

    @property
    def all(self) -> list[History]:
        return [self.own, *([self.other] if self.other is not None else [])]


def read_curves(data: DataDir, older: Place, newer: Place, of_one_line: bool) -> Curves:
    """Call it in a thread. of_one_line: training led from the older one to the newer. OSError where it cannot be read."""
    (run, high), (other, low) = newer, older
    records = _records(data, run)
    others = records if other == run else _records(data, other)
    start = low if of_one_line else 0  # a branch has its parent's rows too
    return Curves(
        _history(records, start, high),
        None if of_one_line else _history(others, 0, low),
        _marks(records, start, high),
        (_weights(others, low), _weights(records, high)),
    )


def _records(data: DataDir, run: str) -> list[Record]:
    return current_line(read_journal(data.run(run).journal))


def _history(records: Sequence[Record], low: int, high: int) -> History:
    rows = [r for r in records if isinstance(r, IterationFinished) and low <= r.timesteps <= high]
    return History().extended((row.timesteps, row.metrics) for row in rows)


def _marks(records: Sequence[Record], low: int, high: int) -> list[float]:
    kinds = RunResumed | PhaseChanged | StageChanged | SettingChanged
    return sorted({r.timesteps for r in records if isinstance(r, kinds) and low < r.timesteps < high})


def _weights(records: Sequence[Record], timesteps: int) -> Weights:
    """Of the newest start or lesson at work then: one that begins there has not trained the state that was saved there."""
    found: Weights = {}
    for record in records:
        if isinstance(record, RunStarted) and record.timesteps <= timesteps:
            found = record.reward_weights
        elif isinstance(record, PhaseChanged | StageChanged) and record.timesteps < timesteps:
            found = record.lesson.reward_weights
    return found
