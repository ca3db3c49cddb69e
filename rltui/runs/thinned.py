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
    """What lies between two resumes. All rows but the newest are in columns; their order among the others tells nothing.

    Rows come one after the other and are wanted by column: those with the same keys wait in `_rows`, one behind the other,
    until somebody asks, for a hundred appends to columns take longer than reading the row.
    """

    timesteps: array[float] = field(default_factory=lambda: array("d"))
    _columns: dict[str, array[float]] = field(default_factory=dict)
    lines: list[tuple[int, bytes]] = field(default_factory=list)  # kind, the record's line; the newest row's is one
    _keys: tuple[str, ...] = ()
    _rows: array[float] = field(default_factory=lambda: array("d"))  # as many values a row as there are keys

    def add_row(self, row: IterationFinished) -> None:
        """One more row behind the others."""
        figures = row.columns()
        keys = tuple(figures)
        if keys != self._keys:
            self._settle()
            self._keys = keys
        self._rows.fromlist([math.nan if value is None else value for value in figures.values()])
        self.timesteps.append(row.timesteps)

    def place_of_row(self) -> int | None:
        """Where the newest row is among the lines."""
        return next((at for at in range(len(self.lines) - 1, -1, -1) if self.lines[at][0] == ROW), None)

    @property
    def columns(self) -> dict[str, array[float]]:
        """float64, NaN where unknown, all as long as `timesteps`."""
        self._settle()
        return self._columns

    def _settle(self) -> None:
        """Put the waiting rows into columns."""
        if not self._rows:
            return
        length, width = len(self.timesteps), len(self._keys)
        before = length - len(self._rows) // width
        for number, key in enumerate(self._keys):
            column = self._columns.setdefault(key, array("d"))
            column.extend(array("d", (math.nan,)) * (before - len(column)))
            column.extend(self._rows[number::width])
        for column in self._columns.values():
            column.extend(array("d", (math.nan,)) * (length - len(column)))
        self._rows = array("d")


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
            segment.lines.append((ROW, b""))  # written out by `settle`: nearly all are replaced before
        else:
            segment.lines.append((kind_of(record), encode_line(record)[:-1]))
        self._lines += 1
        if isinstance(record, RunResumed):  # what comes after is not cut by it
            self.settle()
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

    def settle(self) -> None:
        """Write the newest row's line out."""
        segment = self.segments[-1]
        at = segment.place_of_row() if self._row is not None else None
        if at is not None and self._row is not None:
            segment.lines[at] = ROW, encode_line(self._row)[:-1]

    def items(self) -> Iterator[Record | IterationRows]:
        """What is to be folded instead of the journal's records."""
        self.settle()
        omitted = self.omitted
        for segment in self.segments:
            if omitted or segment.timesteps:
                yield IterationRows(segment.timesteps, segment.columns, omitted)
            omitted = 0
            yield from (record for _, line in segment.lines if (record := decode_line(line)) is not None)

    def _replace_row(self, segment: Segment, row: IterationFinished) -> None:
        """The row before goes into the columns; `row` is the newest one."""
        at = segment.place_of_row()
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
