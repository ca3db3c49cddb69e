"""The journal: writer, tail, and blocks read from its end."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from rltui import safe_io
from rltui.events.commands import plain
from rltui.events.records import Record, decode, encode
from rltui.runs.atomic import fault

# One record a line. Rotated parts are `journal.1.jsonl` (the oldest), `journal.2.jsonl` …; the newest is `journal.jsonl`.
# A line that a crash tore off is closed by the next writer and skipped by readers; it never glues to another record.
PART_BYTES = 32 << 20  # a part this long is rotated
LARGEST_PART = 1 << 30  # a file this long is no journal, whoever wrote it
PENDING_BYTES = 16 << 20  # records kept in memory while the disk is full
POLL_BYTES = 8 << 20  # read at most so much in one poll
END_BYTES = 1 << 18  # of a journal's end, which holds what is newest
FAR_BYTES = 1 << 22  # looked at where that is further back
LARGEST_BLOCK = 1 << 23  # of which one at a time is in memory


class JournalWriter:
    """The one writer of a run's journal (the holder of its lock). May be called from several threads.

    Every record is handed to the system before `write` returns, so it survives the process. While the disk is full,
    records wait in memory, in order; training never stops for them.
    """

    def __init__(self, path: Path, part_bytes: int = PART_BYTES) -> None:
        """Opens the journal, in an existing folder; raises OSError where that cannot be."""
        self._path = path
        self._part_bytes = part_bytes
        self._waiting: deque[bytes] = deque()  # whole lines; the first may have been written in part
        self._waiting_bytes = 0
        self._begun = False  # the first waiting line is on disk in part
        self._mutex = threading.Lock()
        self._descriptor: int | None = None
        self.lost = 0  # records given up because too many waited
        self._open()

    @property
    def waiting(self) -> int:
        """Records that could not be written yet."""
        return len(self._waiting)

    @property
    def gone(self) -> bool:
        """Whether somebody took the file away, so that what is written is lost."""
        with self._mutex:
            if self._descriptor is None:
                return False
            try:
                return not os.path.samestat(os.fstat(self._descriptor), self._path.stat())
            except OSError:
                return True

    def write(self, record: Record) -> bool:
        """Append one record. False where it has to wait for the disk (never raises OSError).

        Raises TypeError or ValueError, and writes nothing, where it holds what no record can.
        """
        line = encode_line(record)
        with self._mutex:
            self._waiting.append(line)
            self._waiting_bytes += len(line)
            self._give_up_oldest()
            return self._flush()

    def sync(self) -> None:
        """Put what was written on the disk itself, so that it survives a power cut too. Slow: not for each record."""
        with self._mutex, contextlib.suppress(OSError):
            self._flush()
            if self._descriptor is not None:
                os.fsync(self._descriptor)

    def close(self) -> None:
        """Write what waits, as far as it can be, and close."""
        self.sync()
        with self._mutex:
            self._close()

    def _open(self) -> int:
        if self._descriptor is None:
            torn = safe_io.is_torn(self._path)
            self._descriptor = safe_io.open_descriptor(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            if torn:
                self._waiting.appendleft(b"\n")
                self._waiting_bytes += 1
        return self._descriptor

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _flush(self) -> bool:
        try:
            while self._waiting:
                self._rotate_if_long()
                line = self._waiting[0]
                fault("journal.write")
                count = os.write(self._open(), line)
                self._waiting_bytes -= count
                self._begun = count < len(line)
                if self._begun:
                    self._waiting[0] = line[count:]
                else:
                    self._waiting.popleft()
        except OSError:
            return False
        return True

    def _rotate_if_long(self) -> None:
        descriptor = self._open()
        if self._begun or os.fstat(descriptor).st_size < self._part_bytes:
            return
        parts = rotated_parts(self._path)
        number = parts[-1][0] + 1 if parts else 1
        self._close()
        fault("journal.rotate")
        with contextlib.suppress(PermissionError):  # Windows, while a reader has it open: next time
            self._path.rename(_part(self._path, number))
        self._open()

    def _give_up_oldest(self) -> None:
        while self._waiting_bytes > PENDING_BYTES and len(self._waiting) > 1 + self._begun:
            index = int(self._begun)
            self._waiting_bytes -= len(self._waiting[index])
            del self._waiting[index]
            self.lost += 1


class JournalTail:
    """Follows a journal: each `poll` returns what has come since the last, over rotations, no record twice or never."""

    def __init__(self, path: Path, read_parts: int = 0, offset: int = 0) -> None:
        """read_parts: number of the last part that is known already; offset: bytes known of the one after it."""
        self._path = path
        self._read_parts = read_parts
        self._offset = offset
        self._skipping = False  # inside a line too long to be a record
        self.bad_lines = 0  # whole lines so far that were no record

    @classmethod
    def at_end(cls, path: Path) -> JournalTail:
        """Of what comes from now on."""
        parts = rotated_parts(path)
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        return cls(path, parts[-1][0] if parts else 0, size)

    def rest(self) -> Iterator[Record]:
        """All that is there by now."""
        while records := self.poll():
            yield from records

    @property
    def read_parts(self) -> int:
        """Number of the last part that has been read to its end, or was known already."""
        return self._read_parts

    @property
    def offset(self) -> int:
        """Bytes read of the part that is being read."""
        return self._offset

    def poll(self, limit: int = POLL_BYTES) -> list[Record]:
        """New records in order, of at most about `limit` bytes: where it returned any, ask again at once.

        Whatever is no record is skipped and counted; a line still being written is left for the next poll.
        """
        while True:
            part = self._next_part()
            path = self._path if part is None else part[1]
            content = _read_from(path, self._offset, limit)
            if part is None and self._next_part() is not None:
                continue  # rotated meanwhile: that was the part after
            records = self._take(content, limit)
            if part is not None and len(content) < limit:
                self._read_parts, self._offset, self._skipping = part[0], 0, False
                if not records:
                    continue
            elif not records and len(content) == limit:
                continue
            return records

    def _next_part(self) -> tuple[int, Path] | None:
        """The oldest rotated part not read to its end; None where that is the current file."""
        return next((part for part in rotated_parts(self._path) if part[0] > self._read_parts), None)

    def _take(self, content: bytes, limit: int) -> list[Record]:
        end = content.rfind(b"\n") + 1
        if end == 0 and len(content) < limit:
            return []
        if end == 0:  # a line longer than all that is read at once is no record
            self._offset += len(content)
            self._skipping = True
            return []
        lines = content[: end - 1].split(b"\n")
        self.bad_lines += self._skipping
        if self._skipping:
            del lines[0]
        self._offset, self._skipping = self._offset + end, False
        records = [decode_line(line) for line in lines if line]
        found = [record for record in records if record is not None]
        self.bad_lines += len(records) - len(found)
        return found


def read_journal(path: Path) -> Iterator[Record]:
    """Every record of all parts, oldest first. Nothing where there is no journal; what is no record is skipped."""
    yield from JournalTail(path).rest()


def read_end(path: Path, limit: int = END_BYTES) -> list[Record]:
    """The records of about the last `limit` bytes, oldest first: cheap however long the journal is."""
    blocks = list(read_back(path, limit, limit))
    return [record for block in reversed(blocks) for record in block]


def read_back(path: Path, first: int = END_BYTES, most: int = FAR_BYTES) -> Iterator[list[Record]]:
    """The records of about the last `most` bytes in blocks, each oldest first, the newest block first; as `lines_back`."""
    return map(_decoded, lines_back(path, first, most))


def lines_back(path: Path, first: int = END_BYTES, most: int = FAR_BYTES) -> Iterator[bytes]:
    """About the last `most` bytes in blocks of whole lines, the newest block first.

    first: bytes of that one; each is twice as long as the one before, so that whoever searches has soon looked far, but
    none much longer than LARGEST_BLOCK.
    """
    size, left = first, most
    for part in reversed([*(part for _, part in rotated_parts(path)), path]):
        with contextlib.suppress(OSError), safe_io.open_to_read(part) as file:
            start, torn = file.seek(0, os.SEEK_END), b""
            while start > 0 and left > 0:
                count = min(size, start, left)
                start, left, size = start - count, left - count, min(2 * size, LARGEST_BLOCK)
                file.seek(start)
                content = file.read(count) + torn
                torn, _, lines = content.partition(b"\n") if start else (b"", b"", content)
                torn = torn if len(torn) < LARGEST_BLOCK else b""  # the end of what is no record
                yield lines
        if left <= 0:
            return


def read_start(path: Path, limit: int = 1 << 16) -> list[Record]:
    """The records of the first `limit` bytes."""
    parts = rotated_parts(path)
    return _decoded(_read_from(parts[0][1] if parts else path, 0, limit))


def rotated_parts(path: Path) -> list[tuple[int, Path]]:
    """(number, path) of each rotated part of the journal at `path`, oldest first."""
    pattern = re.compile(rf"{re.escape(path.stem)}\.([1-9][0-9]{{0,8}}){re.escape(path.suffix)}")
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return []
    return sorted((int(found[1]), path.parent / name) for name in names if (found := pattern.fullmatch(name)))


def encode_line(record: Record) -> bytes:
    """The record's line. Text that is no valid Unicode (a broken file name in a trace) is written with `?`."""
    try:
        return encode(record) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_valid(msgspec.to_builtins(record, enc_hook=plain))) + b"\n"


def decode_line(line: bytes) -> Record | None:
    """The record of one line; None for anything else."""
    try:
        return decode(line) if line else None
    except RecursionError:
        return None


def _decoded(lines: bytes) -> list[Record]:
    return [record for line in lines.split(b"\n") if (record := decode_line(line)) is not None]


def _valid(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    return [_valid(item) for item in value] if isinstance(value, list) else value


def _part(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _read_from(path: Path, offset: int, limit: int) -> bytes:
    try:
        with safe_io.open_to_read(path) as file:
            file.seek(offset)
            return file.read(limit)
    except OSError:
        return b""
