"""Thread that serves the control socket: clients' frames to the router, answers and the newest live state to clients."""

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
from types import TracebackType
from typing import Self

from rltui.errors import RltuiError, in_words
from rltui.events.commands import CommandApplied, CommandRefused, Live
from rltui.events.records import CommandLogged, Level, LogLine
from rltui.runs.paths import RunPaths
from rltui.supervise import sockets
from rltui.supervise.sockets import Listener, open_listener
from rltui.train.control.clients import ClientFault, ClientSession, CommandRouter, Limits, TokenBucket
from rltui.train.control.commands import CommandQueue, PendingCommand

LOOK = 5.0  # seconds between two looks at whether the socket is still where clients look for it
LIVE_LOOK = 0.05  # seconds between two looks for a newer live state: to be woken would cost the training loop the GIL
ACCEPT_PAUSE = 1.0  # seconds without accepting after accept() failed: a lack of file descriptors does not pass at once


class ControlLoop:
    """What the thread runs. Other threads may touch `newest`, `outcomes`, `closed`, `wake` and `finish`, nothing else."""

    def __init__(
        self,
        listener: Listener,
        router: CommandRouter,
        limits: Limits,
        log: Callable[[LogLine], None],
        clock: Callable[[], float],
        reopen: Callable[[], Listener] | None = None,
    ) -> None:
        """reopen: listens anew where the socket was taken away, as systems do with a user's runtime folder at logout."""
        self.newest: Live | None = None
        self.outcomes: deque[tuple[PendingCommand, CommandApplied | CommandRefused]] = deque()
        self.closed: Counter[str] = Counter()
        self._listener, self._router, self._limits, self._log, self._clock = listener, router, limits, log, clock
        self._reopen, self._lost_logged = reopen, False
        self._next_look = 0.0 if reopen is not None else None
        self._sessions: list[ClientSession] = []
        self._offered: Live | None = None
        self._accept_from = 0.0
        self._ends: float | None = None
        self._fault_lines = TokenBucket(rate=0.1, burst=5, clock=time.monotonic)
        self._unlogged = 0
        self._arrivals = TokenBucket(limits.connections_per_second, limits.connections_at_once, time.monotonic)
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ, self._clear_wake)

    def wake(self) -> None:
        """Make the thread look again. Never blocks."""
        with contextlib.suppress(OSError):  # full: it will wake anyway; closed: it has ended
            self._waker.send(b"\0")

    def finish(self, timeout: float) -> None:
        """Ask the thread to deliver what is queued, within `timeout` seconds, and end."""
        self._ends = time.monotonic() + timeout
        self.wake()

    def run(self) -> None:
        """Serve until `finish`."""
        while not self._finished():
            now = time.monotonic()
            self._reopen_if_lost(now)
            self._register(now)
            for key, _ in self._selector.select(self._timeout(now)):
                key.data()
            self._send_outcomes()
            self._offer_live()
            self._flush()

    def close(self) -> None:
        """Close everything; nobody is served any more."""
        for session in self._sessions:
            session.socket.close()
        self._listener.close()
        self._selector.close()
        self._woken.close()
        self._waker.close()

    def _finished(self) -> bool:
        if self._ends is None:
            return False
        waiting = self.outcomes or any(session.owes_an_answer for session in self._sessions)
        return not waiting or time.monotonic() >= self._ends

    def _reopen_if_lost(self, now: float) -> None:
        """Once in a while."""
        if self._reopen is None or self._next_look is None or now < self._next_look:
            return
        self._next_look = now + LOOK
        if not self._listener.lost:
            return
        try:
            fresh = self._reopen()
        except (RltuiError, OSError) as error:
            if not self._lost_logged:
                self._log_line(
                    "error", f"the control socket was taken away, and cannot be made again: {in_words(error)}"
                )
            self._lost_logged = True
            return
        self._watch(self._listener.listening, False, False, self._accept)
        self._listener.close()
        self._listener, self._lost_logged = fresh, False
        self._log_line("warning", f"the control socket was taken away; it is now {fresh.address.address}")

    def _log_line(self, level: Level, message: str) -> None:
        self._log(LogLine(time=self._clock(), level=level, source="control", message=message))

    def _register(self, now: float) -> None:
        """What to wait for, as of now (time.monotonic())."""
        self._watch(self._listener.listening, self._accept_from <= now, False, self._accept)
        for session in self._sessions:
            serve = partial(self._serve, session)
            self._watch(session.socket, session.muted_until <= now, session.wants_to_write, serve)

    def _timeout(self, now: float) -> float | None:
        """Seconds until something is due; None while only a new client or an answer can bring work.

        now: of `_register`, so that a pause which ends between the two is not waited through for ever.
        """
        due = [session.deadline for session in self._sessions] + [self._ends, self._next_look]
        due += [moment for moment in (self._accept_from, *(s.muted_until for s in self._sessions)) if moment > now]
        if self._router.names:
            due.append(now + LIVE_LOOK)
        moments = [moment for moment in due if moment is not None]
        return max(min(moments) - time.monotonic(), 0.0) if moments else None

    def _clear_wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(4096):
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
            self._log_fault("the control socket", ClientFault("crowded", f"accepting a client failed: {error}"))
            return
        if connection is None:
            self._log_fault("a client", ClientFault("foreign", "it belongs to another user"))
        elif len(self._sessions) >= self._limits.clients:
            self._log_fault("a client", ClientFault("crowded", f"{self._limits.clients} clients are attached already"))
            connection.close()
        else:
            self._sessions.append(ClientSession(connection, self._limits))

    def _serve(self, session: ClientSession) -> None:
        """A client's socket is ready. Writing is left to `_flush`."""
        if session.muted_until > time.monotonic():
            return
        new = session.hello is None
        for message in session.read():
            self._router.receive(session, message)
        if new and session.hello is not None and self.newest is not None:
            session.offer(self.newest)  # who attaches sees the state of now at once

    def _send_outcomes(self) -> None:
        while self.outcomes:
            self._router.settle(*self.outcomes.popleft())

    def _offer_live(self) -> None:
        live = self.newest
        if live is None or live is self._offered:
            return
        self._offered = live
        for session in self._sessions:
            if session.hello is not None:
                session.offer(live)

    def _flush(self) -> None:
        """Send what can be sent and drop those whose connection is over."""
        for session in self._sessions:
            session.check_deadline()
            if not session.over:
                session.flush(self._router.names)
        for session in [session for session in self._sessions if session.over]:
            self._drop(session)

    def _watch(self, connection: socket.socket, read: bool, write: bool, ready: Callable[[], None]) -> None:
        events = selectors.EVENT_READ * read | selectors.EVENT_WRITE * write
        known = self._selector.get_map().get(connection)
        if known is not None and known.events == events:
            return
        if known is not None:
            self._selector.unregister(connection)
        if events:
            self._selector.register(connection, events, ready)

    def _drop(self, session: ClientSession) -> None:
        self._watch(session.socket, False, False, self._accept)
        self._sessions.remove(session)
        self._router.leave(session)
        if session.fault is not None:
            self._log_fault(session.name, session.fault)
        session.socket.close()

    def _log_fault(self, who: str, fault: ClientFault) -> None:
        """Count every fault; log a few and then how many were left out, so that no client can fill the journal."""
        self.closed[fault.kind] += 1
        if not self._fault_lines.take():
            self._unlogged += 1
            return
        more = f" ({self._unlogged} more like this were not logged)" if self._unlogged else ""
        message = f"closed the connection of {who}: {fault.detail}{more}"
        self._log_line("warning", message)
        self._unlogged = 0


class ControlServer:
    """The control socket of one run, from `start` to `close`; as a context manager, inside the block.

    Nothing here holds up training: taking from `commands` and `show` cost microseconds, and a client that is slow, stopped
    or hostile costs its own connection and nothing else. What must not be missed is in the journal, not here.

    log: is given CommandLogged for every command accepted, refused or applied, and LogLine for clients closed for a
    fault. It is called from the socket's thread and from any thread that answers (Publisher.publish may be given).
    drain: waits until what was logged so far is written, so that whoever hears an answer finds the record of it.
    """

    def __init__(
        self,
        paths: RunPaths,
        run_name: str,
        log: Callable[[CommandLogged | LogLine], None] = lambda record: None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        drain: Callable[[], None] = lambda: None,
    ) -> None:
        self.commands = CommandQueue()  # the accepted ones
        self._paths, self._limits, self._drain = paths, limits or Limits(), drain
        self._log, self._clock = log, clock
        self._router = CommandRouter(run_name, self._limits, self.commands, self._answer, log, clock)
        self._loop: ControlLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen and write `socket.json`. RltuiError where no socket can be made, or another trainer listens there."""
        listener = self._listen()
        self._loop = ControlLoop(listener, self._router, self._limits, self._log, self._clock, self._listen)
        self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="control socket", daemon=True)
        self._thread.start()
        return self

    def show(self, live: Live) -> None:
        """Offer the state of now to all clients; the newest wins. `clients` and `dropped` are filled in for each."""
        if self._loop is not None:
            self._loop.newest = live

    def clients(self) -> list[str]:
        """Who is attached."""
        return list(self._router.names)

    def closed(self) -> Counter[str]:
        """Connections closed for a fault, by kind (client_session.ClientFault)."""
        return Counter(self._loop.closed if self._loop is not None else ())

    def close(self, timeout: float = 1.0) -> None:
        """Refuse what is unanswered, deliver what is queued within `timeout` seconds, close, remove the socket."""
        if self._loop is None or self._thread is None:
            return
        self._router.ending = True
        for pending in list(self._router.unanswered):
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

    def _answer(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """Called by whoever answers: the client first, then the journal."""
        self._drain()
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
            loop.close()
