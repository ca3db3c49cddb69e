"""Listening socket or named pipe."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from multiprocessing.connection import Listener as PipeServer
from pathlib import Path
from typing import Protocol

from rltui.supervise import sockets
from rltui.supervise.sockets import SocketAddress, SocketListener


class Listener(Protocol):
    """What the control loop needs: `door` is readable while there is something to accept."""

    address: SocketAddress
    door: socket.socket

    @property
    def lost(self) -> bool:
        """Whether clients cannot find it any more, for somebody took it away."""

    def accept(self) -> socket.socket | None:
        """A new connection; None where it was another user's. OSError (also BlockingIOError) as accept(2)."""

    def close(self) -> None: ...


def open_listener(run_folder: Path) -> Listener:
    """Listen for the clients of a run. RltuiError where that cannot be done, or another trainer listens already."""
    address = sockets.choose(run_folder)
    if address.family == "AF_PIPE":
        return PipeListener(address)
    return SocketListener(address)


# PipeListener: Windows' named pipes for a loop that knows only sockets.
#
# Each pipe that has proved that it knows the key (HMAC, both ways) is pumped to one end of a socket pair; the loop serves
# the other end as it serves a Unix socket. Bytes only: `Connection.recv()` would unpickle and is never called.

LOOK_INTERVAL = 0.1  # seconds
_PIECE = 1 << 16  # bytes; ByteStream reads no longer messages


class PipeListener:
    """Listens at a pipe's name. The address's family may be AF_UNIX too, which is how the tests drive it."""

    def __init__(self, address: SocketAddress) -> None:
        self.address = address
        self._pipes = PipeServer(address.address, address.family)  # with its authkey, accept() waits for each client
        self._key = bytes.fromhex(address.authkey)
        self._arrived: deque[socket.socket] = deque()
        self.door, self._ring = socket.socketpair()
        self.door.setblocking(False)
        self._closed = False
        _spawn(self._accept_pipes)

    @property
    def lost(self) -> bool:
        """Never: a pipe's name lasts as long as the pipe."""
        return False

    def accept(self) -> socket.socket | None:
        self.door.recv(1)
        return self._arrived.popleft()

    def close(self) -> None:
        self._closed = True
        self._pipes.close()
        for end in (self.door, self._ring, *self._arrived):
            end.close()

    def _accept_pipes(self) -> None:
        while not self._closed:
            with contextlib.suppress(OSError, EOFError):
                _spawn(self._introduce, self._pipes.accept())

    def _introduce(self, pipe: Connection) -> None:
        """Challenge the client, hand its socket over, carry what it sends; one thread a client."""
        try:
            deliver_challenge(pipe, self._key)
            answer_challenge(pipe, self._key)
        except (AuthenticationError, EOFError, OSError):
            pipe.close()
            return
        ours, theirs = socket.socketpair()
        self._arrived.append(theirs)
        self._ring.send(b"\0")
        ended = threading.Event()
        _spawn(_carry_out, ours, pipe, ended)
        _carry_in(pipe, ours, ended)


def _spawn(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True, name="control pipe").start()


def _carry_in(pipe: Connection, ours: socket.socket, ended: threading.Event) -> None:
    """From the client to the loop, until either is gone. Closing a pipe wakes nobody who reads from it, hence the looks."""
    with contextlib.suppress(EOFError, OSError):
        while not ended.is_set():
            if pipe.poll(LOOK_INTERVAL):
                ours.sendall(pipe.recv_bytes(_PIECE))
    with contextlib.suppress(OSError):
        ours.shutdown(socket.SHUT_RDWR)
    pipe.close()


def _carry_out(ours: socket.socket, pipe: Connection, ended: threading.Event) -> None:
    """From the loop to the client, until either is gone."""
    with contextlib.suppress(OSError):
        while data := ours.recv(_PIECE):
            pipe.send_bytes(data)
    ended.set()
    ours.close()
