"""One client of the control socket: its frames in, its answers out, and the limits that it has."""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from rltui.events import commands
from rltui.events.commands import ClientMessage, CommandAccepted, CommandApplied, CommandRefused, Hello, Live, Welcome
from rltui.supervise.sockets import FrameError, FrameReader, pack


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
