"""Control socket thread."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Self

from rltui.errors import RltuiError, in_words
from rltui.events.commands import CommandApplied, CommandRefused, Live
from rltui.events.records import CommandLogged, Level, LogLine
from rltui.supervise import sockets
from rltui.supervise.sockets import Listener, open_listener
from rltui.train.control.client_session import ClientFault, ClientSession, Limits, TokenBucket
from rltui.train.control.router import CommandRouter, PendingCommand

if TYPE_CHECKING:
    from types import TracebackType

    from rltui.runs.paths import RunPaths


LOOK = 5.0  # seconds between two looks at whether the socket is still where clients look for it
ACCEPT_PAUSE = 1.0  # seconds without accepting after accept() failed: a lack of file descriptors does not pass at once


class ControlLoop:
    """Other threads may touch `newest`, `outcomes`, `closed`, `wake` and `finish`; the rest is the thread's in `run`."""

    def __init__(
        self,
        listener: Listener,
        desk: CommandRouter,
        limits: Limits,
        log: Callable[[LogLine], None],
        clock: Callable[[], float],
        reopen: Callable[[], Listener] | None = None,
    ) -> None:
        """reopen: listens anew where the socket was taken away, as systems do with a user's runtime folder at logout."""
        self.newest: Live | None = None
        self.outcomes: deque[tuple[PendingCommand, CommandApplied | CommandRefused]] = deque()
        self.closed: Counter[str] = Counter()
        self._listener, self._desk, self._limits, self._log, self._clock = listener, desk, limits, log, clock
        self._reopen, self._said_lost = reopen, False
        self._next_look = 0.0 if reopen is not None else None
        self._sessions: list[ClientSession] = []
        self._offered: Live | None = None
        self._accept_from = 0.0
        self._ends: float | None = None
        self._complaints = TokenBucket(rate=0.1, burst=5, clock=time.monotonic)
        self._unsaid = 0
        self._arrivals = TokenBucket(limits.connections_per_second, limits.connections_at_once, time.monotonic)
        self._selector = selectors.DefaultSelector()
        self._bell, self._button = socket.socketpair()
        self._bell.setblocking(False)
        self._button.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ, self._quiet_bell)

    def wake(self) -> None:
        """Make the thread look again. Never blocks."""
        with contextlib.suppress(OSError):  # full: it will wake anyway; closed: it has ended
            self._button.send(b"\0")

    def finish(self, timeout: float) -> None:
        """Ask the thread to deliver what is queued, within `timeout` seconds, and end."""
        self._ends = time.monotonic() + timeout
        self.wake()

    def run(self) -> None:
        """Serve until `finish`."""
        while not self._finished():
            now = time.monotonic()
            self._look_for_the_door(now)
            self._choose(now)
            for key, _ in self._selector.select(self._patience(now)):
                key.data()
            self._take_outcomes()
            self._offer_live()
            self._tend()

    def hang_up(self) -> None:
        """Close everything; nobody is served any more."""
        for session in self._sessions:
            session.socket.close()
        self._listener.close()
        self._selector.close()
        self._bell.close()
        self._button.close()

    def _finished(self) -> bool:
        if self._ends is None:
            return False
        waiting = self.outcomes or any(session.owes_an_answer for session in self._sessions)
        return not waiting or time.monotonic() >= self._ends

    def _look_for_the_door(self, now: float) -> None:
        """Once in a while."""
        if self._reopen is None or self._next_look is None or now < self._next_look:
            return
        self._next_look = now + LOOK
        if not self._listener.lost:
            return
        try:
            fresh = self._reopen()
        except (RltuiError, OSError) as error:
            if not self._said_lost:
                self._tell("error", f"the control socket was taken away, and cannot be made again: {in_words(error)}")
            self._said_lost = True
            return
        self._watch(self._listener.listening, False, False, self._accept)
        self._listener.close()
        self._listener, self._said_lost = fresh, False
        self._tell("warning", f"the control socket was taken away; it is now {fresh.address.address}")

    def _tell(self, level: Level, message: str) -> None:
        self._log(LogLine(time=self._clock(), level=level, source="control", message=message))

    def _choose(self, now: float) -> None:
        """What to wait for, as of now (time.monotonic())."""
        self._watch(self._listener.listening, self._accept_from <= now, False, self._accept)
        for session in self._sessions:
            serve = partial(self._serve, session)
            self._watch(session.socket, session.muted_until <= now, session.wants_to_write, serve)

    def _patience(self, now: float) -> float | None:
        """Seconds until something is due; None while only a client or the trainer can bring work.

        now: of `_choose`, so that a pause which ends between the two is not waited through for ever.
        """
        due = [session.deadline for session in self._sessions] + [self._ends, self._next_look]
        due += [moment for moment in (self._accept_from, *(s.muted_until for s in self._sessions)) if moment > now]
        moments = [moment for moment in due if moment is not None]
        return max(min(moments) - time.monotonic(), 0.0) if moments else None

    def _quiet_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._bell.recv(4096):
                pass

    def _accept(self) -> None:
        if not self._arrivals.take():  # the others wait in the kernel's queue, which costs nothing
            self._accept_from = time.monotonic() + 1.0 / self._limits.connections_per_second
            return
        try:
            connection = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as error:
            self._accept_from = time.monotonic() + ACCEPT_PAUSE
            self._complain("the control socket", ClientFault("crowded", f"accepting a client failed: {error}"))
            return
        if connection is None:
            self._complain("a client", ClientFault("foreign", "it belongs to another user"))
        elif len(self._sessions) >= self._limits.clients:
            self._complain("a client", ClientFault("crowded", f"{self._limits.clients} clients are attached already"))
            connection.close()
        else:
            self._sessions.append(ClientSession(connection, self._limits))

    def _serve(self, session: ClientSession) -> None:
        """A client's socket is ready. Writing is left to `_tend`."""
        if session.muted_until > time.monotonic():
            return
        new = session.hello is None
        for message in session.read():
            self._desk.receive(session, message)
        if new and session.hello is not None and self.newest is not None:
            session.offer(self.newest)  # who attaches sees the state of now at once

    def _take_outcomes(self) -> None:
        while self.outcomes:
            self._desk.settle(*self.outcomes.popleft())

    def _offer_live(self) -> None:
        live = self.newest
        if live is None or live is self._offered:
            return
        self._offered = live
        for session in self._sessions:
            if session.hello is not None:
                session.offer(live)

    def _tend(self) -> None:
        """Send what can be sent and part from those who are over."""
        for session in self._sessions:
            session.check_deadline()
            if not session.over:
                session.flush(self._desk.names)
        for session in [session for session in self._sessions if session.over]:
            self._part(session)

    def _watch(self, connection: socket.socket, read: bool, write: bool, ready: Callable[[], None]) -> None:
        events = selectors.EVENT_READ * read | selectors.EVENT_WRITE * write
        known = self._selector.get_map().get(connection)
        if known is not None and known.events == events:
            return
        if known is not None:
            self._selector.unregister(connection)
        if events:
            self._selector.register(connection, events, ready)

    def _part(self, session: ClientSession) -> None:
        self._watch(session.socket, False, False, self._accept)
        self._sessions.remove(session)
        self._desk.leave(session)
        if session.fault is not None:
            self._complain(session.name, session.fault)
        session.socket.close()

    def _complain(self, who: str, fault: ClientFault) -> None:
        """Count every fault; log a few and then how many were left out, so that no client can fill the journal."""
        self.closed[fault.kind] += 1
        if not self._complaints.take():
            self._unsaid += 1
            return
        more = f" ({self._unsaid} more like this were not logged)" if self._unsaid else ""
        message = f"closed the connection of {who}: {fault.detail}{more}"
        self._tell("warning", message)
        self._unsaid = 0


# ControlServer: the trainer's ear. A thread serves the control socket; the training loop polls for commands.
#
# Nothing here may hold up training: `poll` and `live` cost microseconds, and a client that is slow, stopped or hostile
# costs its own connection and nothing else. What must not be missed is in the journal, not here.


def _nowhere(record: CommandLogged | LogLine) -> None:
    """The default of `log`."""


def _nothing() -> None:
    """The default of `told`."""


class ControlServer:
    """The control socket of one run, from `start` to `close`; as a context manager, inside the block.

    log: is given CommandLogged for every command accepted, refused or applied, and LogLine for clients closed for a
    fault. It is called from the socket's thread and from any thread that answers (Publisher.publish may be given).
    told: waits until what was logged so far is written, so that whoever hears an answer finds the record of it.
    """

    def __init__(
        self,
        paths: RunPaths,
        run_name: str,
        log: Callable[[CommandLogged | LogLine], None] = _nowhere,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        told: Callable[[], None] = _nothing,
    ) -> None:
        self._paths, self._limits, self._told = paths, limits or Limits(), told
        self._log, self._clock = log, clock
        self._commands: deque[PendingCommand] = deque()
        self._desk = CommandRouter(run_name, self._limits, self._commands.append, self._settle, log, clock)
        self._loop: ControlLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen and write `socket.json`. RltuiError where no socket can be made, or another trainer listens there."""
        listener = self._listen()
        self._loop = ControlLoop(listener, self._desk, self._limits, self._log, self._clock, self._listen)
        self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="control socket", daemon=True)
        self._thread.start()
        return self

    def poll(self) -> list[PendingCommand]:
        """The commands accepted since the last call, oldest first. Answer each: `.applied(detail)`, `.refused(reason)`."""
        taken = []
        while self._commands:
            taken.append(self._commands.popleft())
        return taken

    def live(self, live: Live) -> None:
        """Offer the state of now to all clients; the newest wins. `clients` and `dropped` are filled in for each."""
        if self._loop is not None:
            self._loop.newest = live
            if self._desk.names:
                self._loop.wake()

    def clients(self) -> list[str]:
        """Who is attached."""
        return list(self._desk.names)

    def closed(self) -> Counter[str]:
        """Connections closed for a fault, by kind (client_session.Fault)."""
        return Counter(self._loop.closed if self._loop is not None else ())

    def close(self, timeout: float = 1.0) -> None:
        """Refuse what is unanswered, deliver what is queued within `timeout` seconds, hang up, remove the socket."""
        if self._loop is None or self._thread is None:
            return
        self._desk.ending = True
        for pending in list(self._desk.unanswered):
            pending.refused("the trainer is ending")
        self._loop.finish(timeout)
        self._thread.join(timeout + 1.0)
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self) -> Listener:
        """RltuiError as `start`."""
        listener = open_listener(sockets.choose(self._paths.folder))
        try:
            sockets.write(self._paths.socket_file, listener.address)
        except OSError as error:
            listener.close()
            raise RltuiError(f"cannot write {self._paths.socket_file}: {error}") from error
        return listener

    def _settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """Called by whoever answers: the client first, then the journal."""
        self._desk.unanswered.discard(pending)
        self._told()
        if self._loop is not None:
            self._loop.outcomes.append((pending, outcome))
            self._loop.wake()
        self._log(CommandLogged(time=self._clock(), command=pending.name, by=pending.by, outcome=outcome))

    def _serve(self, loop: ControlLoop) -> None:
        try:
            loop.run()
        except (
            Exception
        ):  # a bug here must neither pass in silence nor end the run: it goes on without a remote control
            message = f"the control socket failed, training goes on without it:\n{traceback.format_exc()}"
            self._log(LogLine(time=self._clock(), level="error", source="control", message=message))
        finally:
            self._paths.socket_file.unlink(missing_ok=True)
            loop.hang_up()
