"""Clients of the control socket: frames, limits and answers; who holds control; which commands are accepted."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from rltui.events import commands
from rltui.events.commands import (
    ClientMessage,
    Command,
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Hello,
    Live,
    Request,
    Stop,
    TakeControl,
    Welcome,
    command_name,
)
from rltui.events.records import CommandLogged, LogLine
from rltui.supervise.sockets import FrameError, FrameReader, pack
from rltui.train.control.commands import CommandQueue, PendingCommand

PROTOCOL = 1
LONGEST_CLIENT_NAME = 80  # characters


class TokenBucket:
    """`burst` at once, then `rate` a second. A refused attempt starts the refill anew: who keeps trying gets nothing."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._tokens = float(burst)
        self._since = clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self._clock()
        tokens = min(self._burst, self._tokens + (now - self._since) * self._rate)
        self._since = now
        if tokens < 1.0:
            self._tokens = 0.0
            return False
        self._tokens = tokens - 1.0
        return True


@dataclass(frozen=True)
class Limits:
    """What a client may do."""

    clients: int = 16
    frame: int = 1 << 16  # bytes of a client's frame; all of today's commands are far below
    commands_per_second: float = 5.0
    burst: int = 20
    waiting: int = 64  # commands of one client that the trainer has not answered yet
    outbox: int = 1 << 17  # bytes of answers that a client leaves unread before it is closed
    hello_seconds: float = 2.0  # from connection to Hello
    frame_seconds: float = 5.0  # from a frame's first byte to its last
    mute_seconds: float = 0.1  # pause of reading after a refused flood
    piece: int = 4096  # bytes read at once: with the pause, what a flood can cost
    connections_per_second: float = 40.0  # of all clients together: what a storm of them can cost
    connections_at_once: int = 20


@dataclass(frozen=True)
class ClientFault:
    """Why a connection must be closed; `kind` is what it is counted under."""

    kind: Literal["foreign", "crowded", "late", "length", "garbage", "protocol", "unread"]
    detail: str


Answer = Welcome | CommandAccepted | CommandApplied | CommandRefused


class ClientSession:
    """Frames in, answers and the newest live state out; never blocks and never raises for what a client does.

    `fault` or `gone` says that the connection is over. Answers queue up to a bound. Live state does not queue: a newer
    one replaces one that is not yet being sent, and that is counted in `dropped`, which the client is told.
    """

    def __init__(self, connection: socket.socket, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.socket = connection
        self.hello: Hello | None = None
        self.name = "a client that gave no name"
        self.fault: ClientFault | None = None
        self.gone = False  # it hung up
        self.limited = False  # its newest command was one too many
        self.waiting = 0  # commands that the trainer has not answered
        self.dropped = 0
        self.muted_until = 0.0
        self.bucket = TokenBucket(limits.commands_per_second, limits.burst, clock)
        self._limits, self._clock = limits, clock
        self._joined = clock()
        self._half_since: float | None = None
        self._reader = FrameReader(limits.frame)
        self._answers: deque[bytes] = deque()
        self._answer_bytes = 0
        self._sending = memoryview(b"")
        self._live: Live | None = None
        connection.setblocking(False)

    @property
    def readonly(self) -> bool:
        return self.hello is not None and self.hello.readonly

    @property
    def one_shot(self) -> bool:
        return self.hello is not None and self.hello.one_shot

    @property
    def over(self) -> bool:
        return self.gone or self.fault is not None

    @property
    def wants_to_write(self) -> bool:
        return bool(self._sending) or bool(self._answers) or self._live is not None

    @property
    def owes_an_answer(self) -> bool:
        return bool(self._sending) or bool(self._answers)

    @property
    def deadline(self) -> float | None:
        """When this client has kept us waiting too long; None while it owes nothing."""
        if self.hello is None:
            return self._joined + self._limits.hello_seconds
        return None if self._half_since is None else self._half_since + self._limits.frame_seconds

    def read(self) -> list[ClientMessage]:
        """The messages that have come; those before a fault in the same piece are dropped with it."""
        try:
            data = self.socket.recv(self._limits.piece)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        self.gone = not data
        try:
            payloads = self._reader.feed(data)
            self._note_half_frame(bool(payloads))
            return [commands.decode_from_client(payload) for payload in payloads]
        except FrameError as error:
            self.fault = ClientFault("length", str(error))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.fault = ClientFault("garbage", f"a frame that is no command: {error}")
        return []

    def check_deadline(self) -> None:
        """Find the fault when `deadline` has passed."""
        deadline = self.deadline
        if deadline is not None and self._clock() >= deadline and not self.over:
            self.fault = ClientFault("late", "it said nothing" if self.hello is None else "it left a frame unfinished")

    def mute(self) -> None:
        """Read nothing more for a moment: what it sends piles up on its own side."""
        self.muted_until = self._clock() + self._limits.mute_seconds

    def answer(self, message: Answer) -> None:
        """Queue an answer; a fault when the client has left too many unread."""
        frame = pack(commands.encode(message))
        if self._answer_bytes + len(frame) > self._limits.outbox:
            self.fault = ClientFault("unread", f"it left {self._answer_bytes} bytes of answers unread")
            return
        self._answers.append(frame)
        self._answer_bytes += len(frame)

    def offer(self, live: Live) -> None:
        """Make `live` the next live state to be sent, in place of an older one."""
        self.dropped += self._live is not None
        self._live = live

    def flush(self, clients: list[str]) -> None:
        """Send as much as the client takes now, answers first. `clients` goes into the live state."""
        try:
            while self._sending or self._next_frame(clients):
                self._sending = self._sending[self.socket.send(self._sending) :]
        except BlockingIOError:
            return
        except OSError:
            self.gone = True

    def _next_frame(self, clients: list[str]) -> bool:
        if self._answers:
            frame = self._answers.popleft()
            self._answer_bytes -= len(frame)
        elif self._live is not None:
            live = msgspec.structs.replace(self._live, clients=clients, dropped=self.dropped)
            frame, self._live = pack(commands.encode(live)), None
        else:
            return False
        self._sending = memoryview(frame)
        return True

    def _note_half_frame(self, completed: bool) -> None:
        if not self._reader.half:
            self._half_since = None
        elif completed or self._half_since is None:
            self._half_since = self._clock()


class Client(Protocol):
    """What the rule of control needs to know of a client."""

    @property
    def name(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def one_shot(self) -> bool: ...


class ControlHolder:
    """The clients that want control, oldest first. One-shot clients (`rltui stop`) are never among them.

    A one-shot client may stop the run whoever holds control: the socket lets in this user only, who could signal the process
    anyway, and a stop by command saves first. Otherwise a viewer forgotten on another terminal would be all that can
    end a run. The journal names who did it. Everything else is the holder's alone.
    """

    def __init__(self) -> None:
        self._waiting: list[Client] = []

    @property
    def holder(self) -> Client | None:
        return self._waiting[0] if self._waiting else None

    def join(self, client: Client) -> None:
        if not client.readonly and not client.one_shot:
            self._waiting.append(client)

    def leave(self, client: Client) -> None:
        self._waiting = [other for other in self._waiting if other is not client]

    def take(self, client: Client) -> Client | None:
        """Control passes to this one, who may have it; the former holder, next in line from now on."""
        former = self.holder
        self._waiting = [client, *(other for other in self._waiting if other is not client)]
        return former

    def refusal(self, client: Client, command: Command) -> str | None:
        """Why the command is not taken from this client; None when it is."""
        if client.readonly:
            return "this client is read-only"
        if isinstance(command, TakeControl):
            return "a command line's errand never holds control" if client.one_shot else None
        holder = self.holder
        if holder is client or (client.one_shot and (holder is None or isinstance(command, Stop))):
            return None
        return f"{holder.name if holder else 'nobody'} holds control; O in the cockpit takes it, rltui stop works for everybody"


class CommandRouter:
    """Answers each message of a client. For the socket's thread.

    queue: gets each accepted command. answered: is called by whoever answers one. log: gets every outcome decided here.
    """

    def __init__(
        self,
        run_name: str,
        limits: Limits,
        queue: CommandQueue,
        answered: Callable[[PendingCommand, CommandApplied | CommandRefused], None],
        log: Callable[[CommandLogged | LogLine], None],
        clock: Callable[[], float],
    ) -> None:
        self.names: list[str] = []  # replaced, never changed, so that other threads may read it
        self.ending = False  # set by another thread
        self.unanswered: dict[PendingCommand, ClientSession] = {}
        self._run_name, self._limits = run_name, limits
        self._queue, self._answered, self._log, self._clock = queue, answered, log, clock
        self._greeted: list[ClientSession] = []
        self._control = ControlHolder()

    def receive(self, session: ClientSession, message: ClientMessage) -> None:
        """One message of a client."""
        if isinstance(message, Hello):
            self._greet(session, message)
        elif session.hello is None:
            session.fault = ClientFault("garbage", "a command before the introduction")
        else:
            self._decide(session, message)

    def leave(self, session: ClientSession) -> None:
        """The client's connection is over. Control passes on if it held it, and the others get a welcome."""
        if session not in self._greeted:
            return
        held = self._control.holder is session
        self._greeted.remove(session)
        self._control.leave(session)
        self._update_names()
        if held:
            self._send_welcomes()

    def settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """The trainer has answered."""
        session = self.unanswered.pop(pending)
        session.waiting -= 1
        session.answer(outcome)

    def _greet(self, session: ClientSession, hello: Hello) -> None:
        if session.hello is not None:
            session.fault = ClientFault("garbage", "a second introduction")
            return
        if hello.protocol != PROTOCOL:
            session.fault = ClientFault("protocol", f"it speaks protocol {hello.protocol}, this trainer {PROTOCOL}")
            return
        session.hello = hello
        session.name = self._free_name(hello.client)
        self._greeted.append(session)
        self._control.join(session)
        self._update_names()
        if self._control.holder is session:
            self._send_welcomes()
        else:
            session.answer(self._welcome(session))

    def _free_name(self, wanted: str) -> str:
        """A name that is safe to print and nobody else's."""
        shown = "".join(c if c.isprintable() else "?" for c in wanted[:LONGEST_CLIENT_NAME]).strip() or "somebody"
        number, name = 1, shown
        while name in self.names:
            number += 1
            name = f"{shown} ({number})"
        return name

    def _update_names(self) -> None:
        self.names = [session.name for session in self._greeted]

    def _send_welcomes(self) -> None:
        for session in self._greeted:
            session.answer(self._welcome(session))

    def _welcome(self, session: ClientSession) -> Welcome:
        holder = self._control.holder
        return Welcome(self._run_name, os.getpid(), PROTOCOL, holder.name if holder else None, you=session.name)

    def _decide(self, session: ClientSession, request: Request) -> None:
        if not session.bucket.take():
            self._refuse_flood(session, request)
            return
        session.limited = False
        reason = self._control.refusal(session, request.command)
        if self.ending:
            reason = "the trainer is ending"
        elif reason is None and session.waiting >= self._limits.waiting:
            reason = f"{session.waiting} commands of this client wait for the trainer already"
        if reason is not None:
            self._refuse(session, request, CommandRefused(request.id, reason))
            return
        if isinstance(request.command, TakeControl):
            self._take_control(session, request)
            return
        session.waiting += 1
        pending = PendingCommand(request.id, request.command, session.name, self._answered)
        self.unanswered[pending] = session
        session.answer(CommandAccepted(request.id))
        session.flush(self.names)  # before the journal, which may be on a slow disk
        self._log_outcome(session, request, CommandAccepted(request.id))
        self._queue.put(pending)  # last, so that nothing is applied before the journal says that it was accepted

    def _take_control(self, session: ClientSession, request: Request) -> None:
        """Control passes at once: everybody gets a welcome, and the audit says from whom."""
        former = self._control.take(session)
        before = "had it already" if former is session else f"from {former.name}" if former else "nobody had it"
        for outcome in (CommandAccepted(request.id), CommandApplied(request.id, before, 0.0)):
            session.answer(outcome)
            self._log_outcome(session, request, outcome)
        if former is not session:
            self._send_welcomes()

    def _refuse_flood(self, session: ClientSession, request: Request) -> None:
        """Answer each, log the first only, and stop listening for a moment."""
        refused = CommandRefused(
            request.id, f"too many commands: {self._limits.commands_per_second:g} a second are taken"
        )
        if session.limited:
            session.answer(refused)
        else:
            self._refuse(session, request, refused)
        session.limited = True
        session.mute()

    def _refuse(self, session: ClientSession, request: Request, refused: CommandRefused) -> None:
        session.answer(refused)
        self._log_outcome(session, request, refused)

    def _log_outcome(
        self, session: ClientSession, request: Request, outcome: CommandAccepted | CommandApplied | CommandRefused
    ) -> None:
        name = command_name(request.command)
        self._log(CommandLogged(time=self._clock(), command=name, by=session.name, outcome=outcome))
