"""Thinned: a stretch of the journal, reduced to what folding it can still tell: figures by column, and records that count.

Of records that only the newest few matter of (log lines, saves, states), older ones are left out and counted.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rltui.events.records import (
    CheckpointFailed,
    CheckpointPruned,
    CheckpointSaved,
    CommandLogged,
    IterationFinished,
    LogLine,
    Record,
    RunResumed,
    StateChanged,
    TableUsed,
)
from rltui.runs.journal import decode_line, encode_line

NEWEST = 5000  # of each kind that only tells a log; nobody shows more
ALWAYS, ROW, TABLE = 0, 1, 2  # kinds; those of _TOLD follow
_TOLD: tuple[type[Record], ...] = (
    LogLine,
    CheckpointSaved,
    CheckpointFailed,
    CheckpointPruned,
    StateChanged,
    CommandLogged,
)
_CROWDED = 4 * NEWEST  # lines kept before those too many are looked for


@dataclass(frozen=True, slots=True, eq=False)
class IterationRows:
    """Iterations by column, in the place of their records. Columns are float64, NaN where unknown, all as long as `timesteps`.

    omitted: records left out before these, each of which would have been a line of the log.
    """

    timesteps: array[float]
    columns: Mapping[str, array[float]]
    omitted: int = 0


@dataclass(slots=True)
class Segment:
    """What lies between two resumes. All rows but the newest are in columns; their order among the others tells nothing."""

    timesteps: array[float] = field(default_factory=lambda: array("d"))
    columns: dict[str, array[float]] = field(default_factory=dict)
    lines: list[tuple[int, bytes]] = field(default_factory=list)  # kind, the record's line; the newest row's is one

    def add_row(self, row: IterationFinished) -> None:
        """One more row behind the others."""
        length = len(self.timesteps)
        self.timesteps.append(row.timesteps)
        figures = row.columns()
        for key, value in figures.items():
            column = self.columns.get(key)
            if column is None:
                column = self.columns[key] = array("d", (math.nan,)) * length
            column.append(math.nan if value is None else value)
        if len(figures) != len(self.columns):
            for column in self.columns.values():
                if len(column) == length:
                    column.append(math.nan)


@dataclass(slots=True)
class Thinned:
    """The first `covers` bytes of one part of a journal."""

    covers: int = 0
    omitted: int = 0
    segments: list[Segment] = field(default_factory=lambda: [Segment()])
    _row: IterationFinished | None = None  # the newest of the newest segment
    _lines: int = 0  # taken since the last look for too many

    def take(self, record: Record) -> None:
        """The journal's next record."""
        segment = self.segments[-1]
        if isinstance(record, IterationFinished):
            self._replace_row(segment, record)
        segment.lines.append((kind_of(record), encode_line(record)[:-1]))
        self._lines += 1
        if isinstance(record, RunResumed):  # what comes after is not cut by it
            self.segments.append(Segment())
            self._row = None
        if self._lines > _CROWDED:
            self._lines = 0
            self.thin(Counter())

    def thin(self, seen: Counter[int]) -> None:
        """Leave out what nobody asks for any more. seen: how many of each kind come later; counted on."""
        for segment in reversed(self.segments):
            kept = []
            for kind, line in reversed(segment.lines):
                if kind <= ROW or seen[kind] < (1 if kind == TABLE else NEWEST):
                    seen[kind] += 1
                    kept.append((kind, line))
                elif kind != TABLE:
                    self.omitted += 1
            segment.lines = kept[::-1]

    def items(self) -> Iterator[Record | IterationRows]:
        """What is to be folded instead of the journal's records."""
        omitted = self.omitted
        for segment in self.segments:
            if omitted or segment.timesteps:
                yield IterationRows(segment.timesteps, segment.columns, omitted)
            omitted = 0
            yield from (record for _, line in segment.lines if (record := decode_line(line)) is not None)

    def _replace_row(self, segment: Segment, row: IterationFinished) -> None:
        """The row before goes into the columns; `row` is the newest one."""
        at = next((at for at in range(len(segment.lines) - 1, -1, -1) if segment.lines[at][0] == ROW), None)
        if at is not None:
            before = self._row or decode_line(segment.lines[at][1])
            del segment.lines[at]
            if isinstance(before, IterationFinished):
                segment.add_row(before)
        self._row = row


def kind_of(record: Record) -> int:
    """How many of such records are kept. One of a kind unknown here is kept always."""
    if isinstance(record, IterationFinished):
        return ROW
    if isinstance(record, TableUsed):
        return TABLE
    if isinstance(record, CheckpointSaved) and record.kind == "milestone":
        return ALWAYS
    return next((TABLE + 1 + number for number, kind in enumerate(_TOLD) if type(record) is kind), ALWAYS)
