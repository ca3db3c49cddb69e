"""Publisher of records: a thread writes them to the journal, another prints them."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from rltui.events.records import Level, LogLine, Record

QUEUE_LOOK = 0.05  # seconds between two looks at what has come: to wake the thread would make `put` wait for the GIL
JOURNAL_LOOK = 1.0  # seconds between two looks at whether the journal is still there
PATIENCE = 10.0  # seconds for the disk and the terminal to take what is left
MOST_LINES = 10_000  # records that wait for a terminal that is held (Ctrl-S)

Item = TypeVar("Item")


@dataclass
class _Gap:
    """Stands where items were dropped."""

    dropped: int = 0


class QueueThread(threading.Thread, Generic[Item]):
    """Thread that calls `work` with each item put into its queue. most: what comes while so many wait is dropped, and where
    it would have stood, `missed` makes an item of how many that were (None: no item).

    What they raise is a bug: its first trace is printed, and the items after it are worked on all the same.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Item], None],
        most: int | None = None,
        missed: Callable[[int], Item | None] = lambda dropped: None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._work, self._most, self._missed = work, most, missed
        self._items: deque[Item | threading.Event | _Gap] = deque()
        self._gap: _Gap | None = None  # the newest that came was dropped into it
        self._wake, self._ending = threading.Event(), False
        self._trace_printed = False

    @property
    def waiting(self) -> int:
        """Items that were put in and not yet taken."""
        return len(self._items)

    def put(self, item: Item) -> None:
        """Never waits, and wakes nobody."""
        if self._most is not None and len(self._items) >= self._most:
            self._drop()
        else:
            self._gap = None
            self._items.append(item)

    def drain(self, timeout: float) -> bool:
        """Wait until what was put in so far has been worked on; False where that takes longer (seconds)."""
        done = threading.Event()
        self._items.append(done)
        self._wake.set()
        return done.wait(timeout)

    def close(self, timeout: float) -> bool:
        """Work on what is left and end; False where that takes longer: then the rest is lost with the process."""
        self._ending = True
        self._wake.set()
        self.join(timeout)
        return not self.is_alive()

    def run(self) -> None:
        while self._items or not self._ending:
            while self._items:
                self._take(self._items.popleft())
            self._wake.wait(QUEUE_LOOK)
            self._wake.clear()

    def _drop(self) -> None:
        gap = self._gap  # another thread, whose item finds room, forgets it
        if gap is None:
            self._gap = gap = _Gap()
            self._items.append(gap)
        gap.dropped += 1

    def _take(self, item: Item | threading.Event | _Gap) -> None:
        if isinstance(item, threading.Event):
            item.set()
            return
        try:
            found = self._missed(item.dropped) if isinstance(item, _Gap) else item
            if found is not None:
                self._work(found)
        except Exception as error:  # an ended thread would take the journal of the whole run with it, unnoticed
            if not self._trace_printed:
                self._trace_printed = True
                _print_trace(error)


def _print_trace(error: Exception) -> None:
    with contextlib.suppress(OSError, ValueError):  # the terminal is gone
        traceback.print_exception(error)


class JournalSink(Protocol):
    """runs.journal.JournalWriter: never raises for a full disk, keeps what it could not write; raises for what is no record."""

    lost: int

    @property
    def gone(self) -> bool: ...

    def write(self, record: Record) -> bool: ...


class Publisher:
    """Writes records to the journal and hands them to subscribers. May be called from several threads. Once started, `publish`
    waits neither for disk nor terminal, and never raises. Until then, all is done in the calling thread.

    subscribers: called with every record; one that raises OSError or ValueError (its terminal is gone, its file closed)
    is not called again. What else one raises, or a record that cannot be encoded, is said once, and all others go on.
    """

    def __init__(
        self,
        journal: JournalSink,
        clock: Callable[[], float] = time.time,
        subscribers: Sequence[Callable[[Record], None]] = (),
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._subscribers = list(subscribers)
        self._mutex = threading.Lock()
        self._stalled = False
        self._gone = self._silent = False
        self._next_look = 0.0
        self._lost_before = 0
        self._left_out = 0  # records that no journal can hold
        self._told: set[str] = set()  # where a bug has been reported
        self._writer: QueueThread[Record] | None = None  # to the journal
        self._lines: QueueThread[Record] | None = None  # to the subscribers: one may be a terminal that is held

    def start(self) -> Publisher:
        """From now on threads of its own write and print."""
        self._lines = QueueThread("lines", self._print, MOST_LINES, self._missed_lines)
        self._writer = QueueThread("telemetry", self._write)
        self._lines.start()
        self._writer.start()
        return self

    def publish(self, record: Record) -> None:
        """Write one record and hand it to the subscribers. A journal that cannot be written is reported once, not each time."""
        writer = self._writer  # `close` may come in another thread
        if writer is not None:
            writer.put(record)
        else:
            self._write(record)

    def drain(self) -> None:
        """Wait until what was published so far is written, or a second."""
        writer = self._writer
        if writer is not None:
            writer.drain(1.0)

    def silence(self) -> None:
        """Write and print nothing any more, nor what waits: the run is another trainer's."""
        self._silent = True

    def close(self) -> None:
        """Write and print what is left, and how many records were left out."""
        writer, lines, self._writer = self._writer, self._lines, None
        if writer is not None:
            writer.close(PATIENCE)
        if self._left_out > 1:
            self.log("error", "journal", f"{self._left_out:,} records in all could not be written")
        self._lines = None
        if lines is not None:
            lines.close(PATIENCE)

    def _write(self, record: Record) -> None:
        if self._silent:
            return
        written = self._put_down(record)
        self._hand_to_subscribers(record)
        if written is not None and self._journal_turned(written):
            self._report_journal(written)
        if self._journal_vanished():
            self._hand_to_subscribers(self._gone_line())

    def _put_down(self, record: Record) -> bool | None:
        """Whether the journal took it; None for what no journal can hold, which is a bug of whatever made it."""
        try:
            return self._journal.write(record)
        except Exception as error:  # the others are written all the same
            with self._mutex:
                self._left_out += 1
            self._report_bug("journal", f"a record cannot be written and is left out ({type(record).__name__})", error)
            return None

    def _report_bug(self, source: str, what: str, error: Exception) -> None:
        """Once for each source: a line for the log, the trace on standard error."""
        with self._mutex:
            if source in self._told:
                return
            self._told.add(source)
        _print_trace(error)
        where = "training goes on; the trace is in trainer.log, or on the terminal that it runs in"
        self.log("error", source, f"{what}: {type(error).__name__}: {error}; {where}")

    def log(self, level: Level, source: str, message: str, worker: int | None = None) -> None:
        """Publish a line of text."""
        self.publish(LogLine(time=self._clock(), level=level, source=source, message=message, worker=worker))

    def _hand_to_subscribers(self, record: Record) -> None:
        lines = self._lines
        if lines is not None:
            lines.put(record)
        else:
            self._print(record)

    def _print(self, record: Record) -> None:
        """Without a lock: a terminal that is held (Ctrl-S) holds up the thread that prints and no other."""
        for subscriber in () if self._silent else tuple(self._subscribers):
            try:
                subscriber(record)
            except (OSError, ValueError):
                with contextlib.suppress(ValueError):  # two threads have found out
                    self._subscribers.remove(subscriber)
            except Exception as error:  # a bug: the journal and the other subscribers have the record all the same
                self._report_bug("terminal", f"{type(record).__name__} cannot be printed", error)

    def _missed_lines(self, dropped: int) -> LogLine:
        """For the terminal alone: the journal has missed nothing."""
        were = "line was" if dropped == 1 else "lines were"
        message = f"{dropped:,} {were} not written while the terminal stood still; the run's journal has them"
        return LogLine(time=self._clock(), level="warning", source="terminal", message=message)

    def _journal_turned(self, written: bool) -> bool:
        """Whether the journal has just stopped taking records, or takes them again."""
        with self._mutex:
            if written != self._stalled:
                return False
            self._stalled = not written
            return True

    def _journal_vanished(self) -> bool:
        """Whether the journal has been taken away, once; looked at once a second."""
        now = time.monotonic()
        with self._mutex:
            if self._gone or now < self._next_look:
                return False
            self._next_look = now + JOURNAL_LOOK
            self._gone = self._journal.gone
            return self._gone

    def _gone_line(self) -> LogLine:
        message = (
            "the run's folder is gone: nothing more is recorded or shown; training goes on, checkpoints are saved. For a "
            "new journal: stop, then resume from the newest checkpoint"
        )
        return LogLine(time=self._clock(), level="error", source="journal", message=message)

    def _report_journal(self, written: bool) -> None:
        if written:
            lost = self._journal.lost - self._lost_before
            self._lost_before = self._journal.lost
            level: Level = "warning" if lost else "info"
            message = f"the journal is written again; {lost or 'no'} records were lost"
        else:
            level = "error"
            message = "cannot write the journal (disk full?): records wait in memory, training goes on"
        report = LogLine(time=self._clock(), level=level, source="journal", message=message)
        self._journal.write(report)
        self._hand_to_subscribers(report)
