"""Log of what a run's processes print, capped and rotated: `trainer.log`, and the part before it in `trainer.1.log`.

A child gets a pipe in the place of its standard output and error. Its text streams let so much a second pass and count the
rest, so that nobody has to read that; what C code writes is cut by the thread here that reads the pipes. The trainer's own words
go to the file directly, so that those of a crash in native code are kept too.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rltui import safe_io
from rltui.events.records import Level, Record, RunStarted
from rltui.formatting import size

if TYPE_CHECKING:
    from ctypes import c_uint64

    from _typeshed import ReadableBuffer

LAUNCH_LOG = "RLTUI_LAUNCH_LOG"  # variable of a detached launch: the file that has what the trainer has said so far
RATE = 1 << 16  # bytes a second that are kept, shared equally by the children
PART_BYTES = 4 << 20  # a part this long is rotated
LONGEST_LINE = 1 << 14  # bytes; a longer one is broken
PIPE_BYTES = 1 << 20  # of a pipe, where the system lets us choose; read at once
SECOND = 1.0
# Seconds from a look to the next; SOON after one that found something. Woken by each print instead, the thread would take the
# processor from who prints, hundreds of times a second.
LOOK, SOON = 0.1, 0.02


class ChildOutput:
    """Writing end of a pipe, for a child that is being spawned: there, unpickling it puts it in the place of descriptors 1, 2.

    left_out: shared count of the bytes that its text streams have left out.
    """

    def __init__(self, descriptor: int, left_out: c_uint64) -> None:
        self._descriptor, self._left_out = descriptor, left_out

    def close(self) -> None:
        os.close(self._descriptor)

    def write(self, text: bytes) -> None:
        """From this process, for a child that has none. Never waits: what finds no room is left out."""
        if sys.platform != "win32":
            os.set_blocking(self._descriptor, False)
        try:
            written = os.write(self._descriptor, text)
        except OSError:
            written = 0
        self._left_out.value += len(text) - written

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        if sys.platform != "win32":
            from multiprocessing.reduction import DupFd

            return _print_into, (DupFd(self._descriptor), self._left_out)
        raise RuntimeError("`pipe` makes none on Windows")


def _print_into(passed: Any, left_out: c_uint64) -> None:
    """passed: multiprocessing's wrapper of a descriptor that is this process's own from here on."""
    descriptor: int = passed.detach()
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    os.close(descriptor)
    # anew: the ones before would seek, if what they wrote to was a file
    sys.stdout, sys.stderr = (CappedText(to, left_out) for to in (1, 2))


class _CappedPipe(io.FileIO):
    """Raw stream that lets RATE bytes a second pass, in whole lines (of one that is longer, its begin), and counts the rest."""

    def __init__(self, descriptor: int, left_out: c_uint64, on_full: Callable[[], None]) -> None:
        """on_full: called, within a write, where no more may pass."""
        super().__init__(descriptor, "w", closefd=False)
        self._left_out, self._on_full = left_out, on_full
        self.begin_second()
        self._open = self._torn = False  # half a line has passed; the next bytes are the end of one that was left out

    def begin_second(self) -> None:
        self.room, self._turn = RATE, time.monotonic() + SECOND

    def write(self, data: ReadableBuffer) -> int:
        text = bytes(data)
        if time.monotonic() >= self._turn:
            self.begin_second()
        begin = text.find(b"\n") + 1 if self._torn and self.room else 0
        end = min(begin + self.room, len(text))
        cut = end < len(text)
        if cut:
            end = text.rfind(b"\n", begin, end) + 1 or (end if self.room == RATE else begin)
        passed = text[begin:end]
        self._left_out.value += len(text) - len(passed)
        self.room = 0 if cut else self.room - len(passed)
        self._open = not passed.endswith(b"\n") if passed else self._open
        self._torn = cut and not text.endswith(b"\n")
        if cut and self._open:
            passed, self._open = passed + b"\n", False
        super().write(passed)
        if not self.room:
            self._on_full()
        return len(text)


class CappedText(io.TextIOWrapper):
    """Text stream of a child that sends each line at once; what comes too much in a second only fills its buffer, in C."""

    def __init__(self, descriptor: int, left_out: c_uint64) -> None:
        self._pipe, self._filling = _CappedPipe(descriptor, left_out, self._begin_to_fill), False
        super().__init__(io.BufferedWriter(self._pipe, RATE), "utf-8", "replace", line_buffering=True)

    def _begin_to_fill(self) -> None:
        """On another thread, for this one is within a write. Where there can be none it goes on line by line."""
        if not self._filling and not sys.is_finalizing():  # when a new one would never begin
            self._filling = True
            try:
                threading.Thread(target=self._fill_buffer, daemon=True).start()
            except RuntimeError:  # no room for it
                self._filling = False

    def _fill_buffer(self) -> None:
        """Until a second is over."""
        with contextlib.suppress(OSError, ValueError):  # nobody reads any more, or it is closed
            self.reconfigure(line_buffering=False)
            time.sleep(SECOND)
            self._pipe.begin_second()
            self.reconfigure(line_buffering=True)
        self._filling = False


class _Source:
    """What one child prints, and how much of it was kept in this second."""

    def __init__(self, name: str, descriptor: int, left_out: c_uint64) -> None:
        self.name, self.pipe = name, io.FileIO(descriptor)
        self.kept = self.left_out = 0  # bytes of this second
        self._there, self._counted = left_out, 0  # what the child has left out itself, and how much of that was told
        self._torn = b""  # a line's begin

    def take(self, buffer: bytearray, count: int, share: int) -> bytes:
        """The lines to be written of the first `count` bytes; 0 is the end. Of what is left out nothing is copied."""
        room = max(share - self.kept, 0)
        text = self._torn + bytes(memoryview(buffer)[: min(count, room)])
        last = buffer.rfind(b"\n", 0, count) + 1
        if count > room:
            end, self._torn = text.rfind(b"\n") + 1, bytes(memoryview(buffer)[max(last, count - LONGEST_LINE) : count])
            self.left_out += len(text) - end + count - room - len(self._torn)
        else:
            end = text.rfind(b"\n") + 1
            end = end if count and len(text) - end <= LONGEST_LINE else len(text)
            self._torn = text[end:]
        self.kept += end
        return b"".join(b"%s: %s\n" % (self.name.encode(), line) for line in text[:end].splitlines())

    def take_left_out(self) -> int:
        """Bytes since the last call, here and there."""
        there = self._there.value
        taken, self.left_out, self._counted = self.left_out + there - self._counted, 0, there
        return taken


class OutputLog:
    """See above. `on_record` is a subscriber of the publisher: a detached trainer speaks into the log from its run's start on."""

    def __init__(self, path: Path, part_bytes: int = PART_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._part_bytes, self._clock = path, part_bytes, clock
        self._mutex = threading.Lock()  # of the file
        self._file: BinaryIO | None = None
        self._moved = False  # the trainer's own words go there too
        self._deleted = 0  # bytes of parts that are no more
        self._sources: list[_Source] = []
        self._buffer = bytearray(PIPE_BYTES)
        self._second = clock()
        self._told: set[Level] = set()
        self._tell: Callable[[Level, str, str], None] = lambda level, source, message: None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="output", daemon=True)

    def start(self, tell: Callable[[Level, str, str], None]) -> OutputLog:
        """tell: the publisher's `log`; hears once that somebody prints, and that something was left out."""
        self._tell = tell
        self._thread.start()
        return self

    def pipe(self, name: str) -> ChildOutput | None:
        """For a child called so; None on Windows, where it prints where we do. OSError where there is no descriptor left."""
        if sys.platform == "win32":
            return None
        from ctypes import c_uint64  # only trainers need these two
        from multiprocessing.sharedctypes import RawValue

        left_out = RawValue(c_uint64)
        reading, writing = os.pipe()
        if sys.platform == "linux":
            import fcntl

            with contextlib.suppress(OSError):  # a user may have so many bytes of pipes
                fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(reading, False)
        self._sources.append(_Source(name, reading, left_out))
        return ChildOutput(writing, left_out)

    def on_record(self, record: Record) -> None:
        """In a detached trainer, when its run has started: what it has said so far is carried over, all else follows."""
        launch_log = os.environ.pop(LAUNCH_LOG, None) if isinstance(record, RunStarted) else None
        if launch_log is None:
            return
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with self._mutex, contextlib.suppress(OSError):
            self._moved = True
            self._open().write(Path(launch_log).read_bytes())
            Path(launch_log).unlink()

    def close(self) -> None:
        """Write what is left of children that have ended."""
        self._ending.set()
        self._thread.join(2 * SECOND)
        if self._thread.is_alive():
            return
        for source in list(self._sources):
            self._end(source)

    def _run(self) -> None:
        pause = LOOK
        while not self._ending.wait(pause):
            pause = SOON if self._read() else LOOK
        self._read()

    def _read(self) -> bool:
        """Whether there was something."""
        found, sources = False, list(self._sources)
        for source in sources:
            count = source.pipe.readinto(self._buffer)
            if count is None:
                continue
            found = True
            if not count:
                self._end(source)
            elif lines := source.take(self._buffer, count, RATE // len(sources)):
                self._write(lines)
                self._tell_once("info", f"what {source.name} prints is in the run's {self._path.name}")
        if self._clock() - self._second >= SECOND:
            self._turn_second()
        return found

    def _end(self, source: _Source) -> None:
        self._sources.remove(source)
        source.pipe.close()
        self._write(source.take(self._buffer, 0, RATE))
        self._count(source)

    def _turn_second(self) -> None:
        self._second = self._clock()
        for source in list(self._sources):
            self._count(source)
            source.kept = 0
        with self._mutex, contextlib.suppress(OSError):
            self._rotate_if_long()

    def _count(self, source: _Source) -> None:
        if left_out := source.take_left_out():
            self._write(f"{source.name}: {left_out:,} bytes left out: it prints too much\n".encode())
            limit = f"more than {size(RATE)} a second are left out, and counted in {self._path.name}"
            self._tell_once("warning", f"{source.name} prints too much: {limit}")

    def _tell_once(self, level: Level, message: str) -> None:
        """Once a run: workers that play the same code print alike."""
        if level not in self._told:
            self._told.add(level)
            self._tell(level, "output", message)

    def _write(self, text: bytes) -> None:
        with self._mutex, contextlib.suppress(OSError):  # a full disk: training goes on
            if text:
                self._open().write(text)

    def _open(self) -> BinaryIO:
        if self._file is None:
            self._file = safe_io.open_to_append(self._path)
        if self._moved:
            for standard in (1, 2):
                os.dup2(self._file.fileno(), standard)
        return self._file

    def _rotate_if_long(self) -> None:
        """Also where somebody took the file away: what is written to it would grow unseen."""
        if self._file is None:
            return
        found = os.fstat(self._file.fileno())
        there = self._path.exists() and os.path.samestat(found, self._path.stat())
        if there and found.st_size < self._part_bytes:
            return
        before, header = self._path.with_stem(f"{self._path.stem}.1"), ""
        if there:
            self._deleted += before.stat().st_size if before.exists() else 0
            self._path.replace(before)
            header = f"(goes on from {before.name}; {size(self._deleted)} before that are deleted)\n"
        self._file.close()
        self._file = None
        self._open().write(header.encode())
