"""journal.cache, journal.<n>.cache: a thinned part of the journal beside it. Rebuilt when missing; never trusted over the journal.

magic · length of the head · checksum of the rest · head (JSON) · for each segment its float64 columns, kinds and lines.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import get_args

import msgspec

from rltui import safe_io
from rltui.events.records import CLOCK, ITERATION, Record
from rltui.runs.atomic import replace_file
from rltui.runs.thinned import Segment, Thinned

_MAGIC = b"rltui\x00j2"
_FRONT = struct.Struct("<8sII")
_ITEM = 8  # bytes of a float64
_SAMPLES = 16  # places of the journal that are compared
_SAMPLE_BYTES = 4096
_LARGEST = 1 << 28  # bytes; what is kept is a small part of what it stands for


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
    segments: list[_SegmentHead]


def cache_path(part: Path) -> Path:
    """Where the cache of a journal's part is."""
    return part.with_suffix(".cache")


def write_thinned(part: Path, thinned: Thinned) -> None:
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
    head = msgspec.json.encode(_Head(_program(), thinned.covers, stat.st_mtime_ns, mark, thinned.omitted, heads))
    body = b"".join([head, *(piece for segment in thinned.segments for piece in _pieces(segment))])
    replace_file(cache_path(part), _FRONT.pack(_MAGIC, len(head), zlib.crc32(body)) + body)


def read_thinned(part: Path, cache: Path | None = None) -> Thinned | None:
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
    except (OSError, struct.error, msgspec.DecodeError, UnicodeDecodeError):
        return None
    rest = body[length:]
    segments = []
    for found in head.segments:
        segment, rest = _segment(found, rest)
        segments.append(segment)
    return Thinned(head.covers, head.omitted, segments)


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
    sizes = [*[head.rows * _ITEM] * (1 + len(head.columns)), head.lines, head.line_bytes]
    pieces = list(_cut(body, sizes))
    arrays = [_floats(piece) for piece in pieces[:-2]]
    lines = bytes(pieces[-1]).split(b"\n")[: head.lines]
    columns = dict(zip(head.columns, arrays[1:], strict=True))
    return Segment(arrays[0], columns, list(zip(pieces[-2], lines, strict=True))), body[sum(sizes) :]


def _cut(body: memoryview, sizes: list[int]) -> Iterator[memoryview]:
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    yield from (body[start:end] for start, end in pairwise(ends))


def _floats(piece: memoryview) -> array[float]:
    values = array("d")
    values.frombytes(piece)
    return values


def _program() -> str:
    """The records that are known here, the columns made of rows, and the byte order: what a cache is for."""
    known = [(kind.__name__, *kind.__struct_fields__) for kind in get_args(Record)]
    return f"{zlib.crc32(repr((known, CLOCK, ITERATION)).encode()):08x} {sys.byteorder}"
