"""RunReader: thread that turns a run's journal and control socket into snapshots."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import msgspec

from rltui import formatting, safe_io
from rltui.errors import RltuiError, in_words
from rltui.events.commands import Command, Live, ServerMessage, Welcome, command_name
from rltui.events.records import Record
from rltui.run_state.fold import fold, fold_control, with_command
from rltui.run_state.log_entries import LogEntry
from rltui.run_state.snapshot import LOG_LINES, CommandStatus, LeftAt, Link, RunSnapshot
from rltui.run_state.verdict import Verdict, verdict, with_findings
from rltui.runs.atomic import replace_file
from rltui.runs.journal import LARGEST_PART
from rltui.runs.journal_cache import CachedJournal, IterationRows
from rltui.runs.lock import lock_holder
from rltui.runs.paths import RunPaths

LOOK = 0.5  # seconds between two looks at the journal and the socket: each costs training time on a small machine
LOOK_WHILE_WAITING = 0.05  # the same while a command's answer is due
CHECK = 1.0  # seconds between two looks at the process, and between two attempts to connect
OUTPUT_LINES = 40


class JournalSource(Protocol):
    """runs.CachedJournal."""

    def newest(self) -> Sequence[Record]:
        """Asked first: the end of a journal that takes a while to read; empty of any other."""

    def poll(self) -> Sequence[Record | IterationRows]:
        """The records added since the last call."""

    @property
    def bad_lines(self) -> int:
        """Lines so far that were no record."""


class Control(Protocol):
    """supervise.ControlClient, connected."""

    @property
    def controls(self) -> bool: ...

    @property
    def welcome(self) -> Welcome | None: ...

    def send(self, command: Command) -> int: ...

    def poll(self, timeout: float = 0.0) -> list[ServerMessage]: ...

    def close(self) -> None: ...


class RecordSource(Protocol):
    """Where a run's news comes from; RunFiles reads real runs, tests give fakes."""

    @property
    def name(self) -> str: ...

    def journal(self) -> JournalSource: ...

    def connect(self) -> Control:
        """Raises RltuiError when there is no trainer to talk to."""

    def alive(self) -> bool | None:
        """Whether a trainer's process holds the run; None where nobody can tell."""

    def gone(self) -> bool:
        """Whether the run's folder has been taken away."""

    def last_output(self) -> str:
        """The end of what the trainer printed, for a start that failed before the first record."""

    def left_at(self) -> LeftAt | None:
        """When a cockpit on it was last left; None where nobody knows."""

    def leave(self, at: LeftAt) -> None:
        """A cockpit on it is left now."""


def read_all(journal: JournalSource, snapshot: RunSnapshot) -> RunSnapshot:
    """The snapshot after all that the journal tells by now: a long one comes in pieces."""
    while records := journal.poll():
        snapshot = fold(snapshot, records)
    if journal.bad_lines == snapshot.bad_lines:
        return snapshot
    snapshot = replace(snapshot, bad_lines=journal.bad_lines)
    entry = LogEntry(snapshot.record_time or 0.0, "warning", "journal", snapshot.journal_problem)
    return replace(snapshot, log=(*snapshot.log, entry)[-LOG_LINES:], log_total=snapshot.log_total + 1)


def judged(paths: RunPaths, heard: Live | None = None) -> tuple[Verdict, RunSnapshot]:
    """On a run in its folder, as the cockpit has it, and from what. heard: what its trainer has just said."""
    snapshot = with_findings(read_all(CachedJournal(paths.journal), RunSnapshot(run=paths.name)))
    now = time.time()
    if heard is not None:
        snapshot = fold_control(snapshot, heard, now)
    return verdict(snapshot, now, heard is not None), snapshot


class RunReader(threading.Thread):
    """publish(snapshot) is called from this thread, at most every LOOK seconds, and only when something changed.

    Whatever ends the thread is itself published, as `reader_problem`.
    """

    def __init__(
        self,
        source: RecordSource,
        publish: Callable[[RunSnapshot], None],
        *,
        readonly: bool = False,
        clock: Callable[[], float] = time.time,
        words: Callable[[BaseException], str] = in_words,
    ) -> None:
        """words: for what ends the thread."""
        super().__init__(name=f"reader of {source.name}", daemon=True)
        self._source, self._publish, self._clock, self._words = source, publish, clock, words
        self._snapshot = RunSnapshot(run=source.name, link=Link(readonly=readonly))
        self._readonly = readonly
        self._requests: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._leaving = False
        self._control: Control | None = None
        self._next_check = 0.0
        self._unsent_count = 0

    def send(self, command: Command) -> None:
        """Ask the trainer for something; what becomes of it shows in the snapshots. Callable from any thread."""
        self._requests.put(command)
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread soon; does not wait for it."""
        self._leaving = True
        self._wake.set()

    def run(self) -> None:
        try:
            journal = self._source.journal()
            self._show_end(journal.newest())
            while not self._leaving:
                self._look(journal)
                self._wake.wait(LOOK_WHILE_WAITING if self._waiting() else LOOK)
                self._wake.clear()
        except Exception as error:  # a dead reader must be seen, whatever killed it
            self._publish(replace(self._snapshot, reader_problem=self._words(error)))
        finally:
            self._disconnect("")

    def _show_end(self, records: Sequence[Record]) -> None:
        """The last minutes at once, and that they are no more; the whole run takes their place."""
        if records:
            end = with_findings(fold(self._snapshot, records))
            note = LogEntry(end.record_time or 0.0, "info", "journal", "the whole run is being read; this is its end")
            self._publish(replace(end, log=(*end.log, note)[-LOG_LINES:], alive=self._source.alive()))

    def _look(self, journal: JournalSource) -> None:
        before = self._snapshot
        self._snapshot = read_all(journal, self._snapshot)  # the first picture shall be whole
        if time.monotonic() >= self._next_check:
            self._next_check = time.monotonic() + CHECK
            self._check()
        self._listen()
        self._send_requests()
        if self._snapshot is not before:
            self._snapshot = with_findings(self._snapshot)
            self._publish(self._snapshot)

    def _waiting(self) -> bool:
        return any(status.stage in ("sent", "accepted") for status in self._snapshot.command_statuses[-3:])

    def _check(self) -> None:
        gone = self._snapshot.header is not None and self._source.gone()
        if gone != self._snapshot.gone:
            self._snapshot = replace(self._snapshot, gone=gone)
        alive = None if gone else self._source.alive()  # the lock went with the folder
        if alive != self._snapshot.alive:
            self._snapshot = replace(self._snapshot, alive=alive)
        if alive is False and self._snapshot.header is None and not self._snapshot.output:
            self._snapshot = replace(self._snapshot, output=self._source.last_output())
        if self._control is None and alive is not False:
            self._connect()

    def _connect(self) -> None:
        try:
            self._control = self._source.connect()
        except RltuiError as error:
            self._set_link(connected=False, problem=error.message)
            return
        self._set_link(connected=True, problem="")
        self._hear([self._control.welcome] if self._control.welcome else [])

    def _listen(self) -> None:
        if self._control is None:
            return
        try:
            self._hear(self._control.poll(0.0))
        except RltuiError as error:
            self._disconnect(error.message)

    def _hear(self, messages: Sequence[ServerMessage]) -> None:
        now = self._clock()
        for message in messages:
            self._snapshot = fold_control(self._snapshot, message, now)
        if messages and self._control is not None and self._control.controls != self._snapshot.link.mine:
            self._set_link(mine=self._control.controls)

    def _send_requests(self) -> None:
        while not self._requests.empty():
            self._send(self._requests.get())

    def _send(self, command: Command) -> None:
        name, now = command_name(command), self._clock()
        problem = "this view is read-only" if self._readonly else "" if self._control else "no trainer is connected"
        if not problem and self._control is not None:
            try:
                status = CommandStatus(self._control.send(command), name, "sent", "", now)
            except RltuiError as error:
                self._disconnect(error.message)
                problem = error.message
            else:
                self._snapshot = with_command(self._snapshot, status)
                return
        self._unsent_count += 1
        self._snapshot = with_command(self._snapshot, CommandStatus(-self._unsent_count, name, "unsent", problem, now))

    def _disconnect(self, problem: str) -> None:
        """Answers that were due will not come any more: ids start again with the next connection.

        Nor is anything heard of the workers' pace and heartbeats, which the journal does not tell.
        """
        control, self._control = self._control, None
        if control is None:
            return
        control.close()
        now = self._clock()
        command_statuses = tuple(
            replace(status, id=-abs(status.id) - 1000, stage="lost", text=_end_of(status, now), time=now)
            if status.stage in ("sent", "accepted")
            else replace(status, id=-abs(status.id) - 1000)
            for status in self._snapshot.command_statuses
        )
        workers = tuple(replace(row, steps_per_second=None, heartbeat_age=None) for row in self._snapshot.workers)
        self._snapshot = replace(self._snapshot, command_statuses=command_statuses, workers=workers)
        self._set_link(connected=False, mine=False, controller=None, clients=(), problem=problem)

    def _set_link(self, **changes: object) -> None:
        link = replace(self._snapshot.link, **changes)  # type: ignore[arg-type]  # fields by name
        if link != self._snapshot.link:
            self._snapshot = replace(self._snapshot, link=link)


def _end_of(status: CommandStatus, now: float) -> str:
    """How the wait for its answer ended."""
    accepted = "it was accepted, then " if status.stage == "accepted" else ""
    return f"{accepted}the connection ended after {formatting.duration(max(now - status.time, 0.0))}"


class RunFiles:
    """A run in its folder. connect: opens the control connection to its trainer.

    launched: says whether the trainer that was just started for this run still lives; it takes its lock later.
    """

    def __init__(
        self, paths: RunPaths, connect: Callable[[], Control], launched: Callable[[], bool] | None = None
    ) -> None:
        self.paths, self._connect, self._launched = paths, connect, launched

    @property
    def name(self) -> str:
        return self.paths.name

    def journal(self) -> CachedJournal:
        """RltuiError for one that cannot be read, as a journal that is not there yet can."""
        if problem := safe_io.problem(self.paths.journal, LARGEST_PART):
            raise RltuiError(f"{self.paths.journal} cannot be read: {problem}", "mend it or move it away")
        return CachedJournal(self.paths.journal)

    def connect(self) -> Control:
        return self._connect()

    def alive(self) -> bool:
        return lock_holder(self.paths) is not None or (self._launched is not None and self._launched())

    def gone(self) -> bool:
        return not self.paths.folder.is_dir()

    def last_output(self) -> str:
        return safe_io.tail(self.paths.log, OUTPUT_LINES) if self.paths.log.is_file() else ""

    def left_at(self) -> LeftAt | None:
        try:
            return msgspec.json.decode(safe_io.read_bytes(self.paths.left), type=LeftAt)
        except (OSError, msgspec.DecodeError, RecursionError):
            return None

    def leave(self, at: LeftAt) -> None:
        with contextlib.suppress(OSError):  # somebody else's run
            if not self.gone():
                replace_file(self.paths.left, msgspec.json.encode(at))
