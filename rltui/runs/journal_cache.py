"""Cache of a journal's parts: what folding them needs, as columns of iterations and the few records that still count."""

from __future__ import annotations

import contextlib
import hashlib
import math
import struct
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import get_args

import msgspec

from rltui import safe_io
from rltui.events.metric_keys import new_column
from rltui.events.records import (
    CLOCK,
    ITERATION,
    CheckpointFailed,
    CheckpointPruned,
    CheckpointSaved,
    CommandLogged,
    IterationFinished,
    LogLine,
    PoolReported,
    Record,
    RunResumed,
    RunStarted,
    StateChanged,
    TableUsed,
)
from rltui.runs.atomic import replace_file
from rltui.runs.journal import JournalTail, decode_line, encode_line, read_end, read_start, rotated_parts

NEWEST = 5000  # of each kind that only tells a log; nobody shows more, so older ones are left out and counted
ALWAYS, ROW, TABLE, POOL = 0, 1, 2, 3  # kinds; those of _LOGGED follow
_NEWEST_ALONE = (TABLE, POOL)
_LOGGED: tuple[type[Record], ...] = (
    LogLine,
    CheckpointSaved,
    CheckpointFailed,
    CheckpointPruned,
    StateChanged,
    CommandLogged,
)
_CROWDED = 4 * NEWEST  # lines kept before those too many are looked for
WORTH = 2 << 20  # bytes of journal; less is read again sooner than kept
LONG = 8 << 20  # bytes; more take so long to read that the end is wanted first
END = 4 << 20  # bytes of it

# A cache file: magic · length of the head · checksum of the rest · head (JSON) · of each segment its columns, kinds, lines.
_MAGIC = b"rltui\x00j4"
_FRONT = struct.Struct("<8sII")
_SAMPLES = 16  # places of the journal that are compared
_SAMPLE_BYTES = 4096
_LARGEST = 1 << 28  # bytes; a cache is a small part of what it stands for


@dataclass(frozen=True, slots=True, eq=False)
class IterationRows:
    """Iterations by column, in the place of their records. Columns are as `new_column`, NaN where unknown, all as long as `timesteps`.

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
        """As `new_column`, NaN where unknown, all as long as `timesteps`."""
        self._settle()
        return self._columns

    def _settle(self) -> None:
        """Put the waiting rows into columns."""
        if not self._rows:
            return
        length, width = len(self.timesteps), len(self._keys)
        before = length - len(self._rows) // width
        for number, key in enumerate(self._keys):
            column = self._columns.setdefault(key, new_column(key))
            column.extend(new_column(key, before - len(column)))
            column.extend(array(column.typecode, self._rows[number::width]))
        for key, column in self._columns.items():
            column.extend(new_column(key, length - len(column)))
        self._rows = array("d")


@dataclass(slots=True)
class ThinnedJournal:
    """The first `covers` bytes of one part of a journal."""

    covers: int = 0
    omitted: int = 0
    bad_lines: int = 0  # of these bytes
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
            left = []
            for kind, line in reversed(segment.lines):
                if kind <= ROW or seen[kind] < (1 if kind in _NEWEST_ALONE else NEWEST):
                    seen[kind] += 1
                    left.append((kind, line))
                elif kind not in _NEWEST_ALONE:
                    self.omitted += 1
            segment.lines = left[::-1]

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
    if isinstance(record, PoolReported):
        return POOL
    if isinstance(record, CheckpointSaved) and record.kind == "milestone":
        return ALWAYS
    return next((POOL + 1 + number for number, kind in enumerate(_LOGGED) if type(record) is kind), ALWAYS)


class _SegmentHead(msgspec.Struct, frozen=True):
    rows: int
    columns: list[str]
    lines: int
    line_bytes: int


class _Head(msgspec.Struct, frozen=True):
    program: str  # another version may know other records, and would miss what was left out here
    covers: int
    changed: int  # the journal part's time of change, nanoseconds
    print: str  # of what is covered
    omitted: int
    bad_lines: int
    segments: list[_SegmentHead]


def cache_path(part: Path) -> Path:
    """Beside the part; rebuilt when missing, never trusted over the journal."""
    return part.with_suffix(".cache")


def write_thinned(part: Path, thinned: ThinnedJournal) -> None:
    """Keep it beside the part. Raises OSError, as in a data folder that may only be read."""
    stat = part.stat()
    if stat.st_size < thinned.covers:
        return  # rotated meanwhile: another file
    thinned.settle()
    heads = [
        _SegmentHead(len(segment.timesteps), list(segment.columns), len(segment.lines), sum(len(line) + 1 for _, line in segment.lines))
        for segment in thinned.segments
    ]  # fmt: skip
    mark = _print_of(part, thinned.covers)
    counts = thinned.omitted, thinned.bad_lines
    head = msgspec.json.encode(_Head(_program(), thinned.covers, stat.st_mtime_ns, mark, *counts, heads))
    body = b"".join([head, *(piece for segment in thinned.segments for piece in _pieces(segment))])
    replace_file(cache_path(part), _FRONT.pack(_MAGIC, len(head), zlib.crc32(body)) + body)


def read_thinned(part: Path, cache: Path | None = None) -> ThinnedJournal | None:
    """What is kept of the part; None where there is nothing that fits it. cache: where else to look."""
    try:
        content = safe_io.read_bytes(cache or cache_path(part), _LARGEST)
        magic, length, checksum = _FRONT.unpack_from(content)
        body = memoryview(content)[_FRONT.size :]
        if magic != _MAGIC or zlib.crc32(body) != checksum:
            return None
        head = msgspec.json.decode(body[:length], type=_Head)
        if not _fits(head, part):
            return None
    except (OSError, struct.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    rest = body[length:]
    segments = []
    for found in head.segments:
        segment, rest = _segment(found, rest)
        segments.append(segment)
    return ThinnedJournal(head.covers, head.omitted, head.bad_lines, segments)


def _fits(head: _Head, part: Path) -> bool:
    """Whether the part still begins with what was thinned, as far as a look at a few places tells."""
    stat = part.stat()
    unchanged = stat.st_mtime_ns == head.changed
    is_longer = stat.st_size > head.covers
    return head.program == _program() and (unchanged or is_longer) and head.print == _print_of(part, head.covers)


def _print_of(part: Path, covers: int) -> str:
    """Of places spread over the first `covers` bytes, the first and the last among them."""
    digest = hashlib.blake2b(digest_size=16)
    last = max(covers - _SAMPLE_BYTES, 0)
    with safe_io.open_to_read(part) as file:
        for number in range(_SAMPLES):
            at = last * number // (_SAMPLES - 1)
            file.seek(at)
            digest.update(file.read(min(_SAMPLE_BYTES, covers - at)))
    return digest.hexdigest()


def _pieces(segment: Segment) -> Iterable[bytes]:
    yield segment.timesteps.tobytes()
    yield from (column.tobytes() for column in segment.columns.values())
    yield bytes(kind for kind, _ in segment.lines)
    yield b"".join(line + b"\n" for _, line in segment.lines)


def _segment(head: _SegmentHead, body: memoryview) -> tuple[Segment, memoryview]:
    """The segment at the beginning of `body`, and what comes after it."""
    arrays = [array("d"), *map(new_column, head.columns)]
    sizes = [*(head.rows * values.itemsize for values in arrays), head.lines, head.line_bytes]
    pieces = list(_cut(body, sizes))
    for values, piece in zip(arrays, pieces, strict=False):
        values.frombytes(piece)
    lines = bytes(pieces[-1]).split(b"\n")[: head.lines]
    columns = dict(zip(head.columns, arrays[1:], strict=True))
    return Segment(arrays[0], columns, list(zip(pieces[-2], lines, strict=True))), body[sum(sizes) :]


def _cut(body: memoryview, sizes: list[int]) -> Iterator[memoryview]:
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    yield from (body[start:end] for start, end in pairwise(ends))


def _program() -> str:
    """The records that are known here, the columns made of rows, and the byte order: what a cache is for."""
    known = [(kind.__name__, *kind.__struct_fields__) for kind in get_args(Record)]
    return f"{zlib.crc32(repr((known, CLOCK, ITERATION)).encode()):08x} {sys.byteorder}"


@dataclass(slots=True)
class _Part:
    number: int  # 0: the current one
    path: Path
    read_parts: int  # for a JournalTail that is to read this part and no other
    thinned: ThinnedJournal


class CachedJournal:
    """As JournalTail, but what is there at the first `poll` comes thinned, and is kept so for the next time, where it may be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tail: JournalTail | None = None
        self._parts: list[_Part] = []  # not given yet
        self._bad_lines = 0  # of what came thinned

    @property
    def bad_lines(self) -> int:
        """Lines of what has been polled that were no record."""
        return self._bad_lines + (self._tail.bad_lines if self._tail is not None else 0)

    def newest(self) -> list[Record]:
        """The header and the end of a journal that takes a while to read; empty where `poll` gives all of it soon."""
        self._parts = self._cached_parts()
        left = sum(_size(part.path) - part.thinned.covers for part in self._parts)
        if left < LONG:
            return []
        header = next((record for record in read_start(self._path) if isinstance(record, RunStarted)), None)
        return [*([header] if header else []), *read_end(self._path, END)]

    def poll(self) -> list[Record | IterationRows]:
        """What has come since the last call, in order; where it returned any, ask again at once."""
        if self._tail is None:
            self._tail = self._read_all()
        while self._parts:
            if items := list(self._parts.pop(0).thinned.items()):  # one part at a time, so that not all is there twice
                return items
        return list(self._tail.poll())

    def _read_all(self) -> JournalTail:
        """Thin all parts; returns what follows the journal from there. Whoever rotates it meanwhile makes it start over."""
        self._parts = self._parts or self._cached_parts()
        for part in self._parts:
            _complete(part)
        last = self._parts[-1]
        if [number for number, _ in rotated_parts(self._path)] != [part.number for part in self._parts[:-1]]:
            self._parts = []
            return self._read_all()
        seen: Counter[int] = Counter()
        for part in reversed(self._parts):
            part.thinned.thin(seen)
        self._bad_lines = sum(part.thinned.bad_lines for part in self._parts)
        return JournalTail(self._path, last.read_parts, last.thinned.covers)

    def _cached_parts(self) -> list[_Part]:
        """Every part with what is kept of it; the current one comes last."""
        rotated = rotated_parts(self._path)
        last = rotated[-1][0] if rotated else 0
        parts = [(number, path, 0) for number, path in rotated] + [(0, self._path, last)]
        current = cache_path(self._path)  # what is kept of the current part serves when it has been rotated too
        return [
            _Part(*part, read_thinned(part[1]) or read_thinned(part[1], current) or ThinnedJournal()) for part in parts
        ]


def _complete(part: _Part) -> None:
    """Thin what has been added to the part, and keep that if it was much."""
    before = part.thinned.covers
    tail = JournalTail(part.path, part.read_parts, before)
    while records := tail.poll():
        for record in records:
            part.thinned.take(record)
    if tail.read_parts != part.read_parts:
        return  # rotated in the midst of it: these are records of two parts, and whoever asked starts over
    part.thinned.covers = tail.offset
    part.thinned.bad_lines += tail.bad_lines
    if part.thinned.covers - before >= WORTH:
        part.thinned.thin(Counter())
        with contextlib.suppress(OSError):
            write_thinned(part.path, part.thinned)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
