"""The client's end of a control connection as a stream of bytes: a Unix socket, or a named pipe on Windows."""

from __future__ import annotations

import select
import socket
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from rltui.supervise.socket_address import SocketAddress

QUEUE_FULL_PAUSE = 0.01  # seconds
_PIECE = 1 << 16  # bytes read at once


class ByteStream(Protocol):
    """What ControlClient needs. `send` and `receive` may be called from two threads at once."""

    def send(self, data: bytes) -> None:
        """All of it. OSError when the other side is gone or takes nothing for the time-out."""

    def receive(self, timeout: float) -> bytes | None:
        """What has come within `timeout` seconds; None for nothing, b"" for the end. OSError when broken."""

    def close(self) -> None: ...


def open_stream(address: SocketAddress, timeout: float) -> ByteStream:
    """Connect. OSError (FileNotFoundError, ConnectionRefusedError, PermissionError, TimeoutError …) when that fails."""
    if address.family == "AF_PIPE":
        return PipeStream(address)
    return SocketStream(address.address, timeout)


class SocketStream:
    """A Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout)
            _connect(self._socket, path, time.monotonic() + timeout)
        except OSError:
            self._socket.close()
            raise
        self._readable = select.poll()  # not select(): a program with many files open passes its limit of 1024
        self._readable.register(self._socket, select.POLLIN)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def receive(self, timeout: float) -> bytes | None:
        if not self._readable.poll(max(timeout, 0.0) * 1000):
            return None
        return self._socket.recv(_PIECE)

    def close(self) -> None:
        self._socket.close()


def _connect(connection: socket.socket, path: str, deadline: float) -> None:
    """A Unix socket with a time-out does not wait while the listener's queue is full: it fails at once, so ask again."""
    while True:
        try:
            connection.connect(path)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(QUEUE_FULL_PAUSE)
        else:
            return


class PipeStream:
    """A connection of `multiprocessing.connection`, as bytes only: `recv()` would unpickle and is never called."""

    def __init__(self, address: SocketAddress) -> None:
        from multiprocessing.connection import Client  # 14 ms, needed on Windows only

        self._pipe: Connection = Client(address.address, address.family, bytes.fromhex(address.authkey))

    def send(self, data: bytes) -> None:
        self._pipe.send_bytes(data)

    def receive(self, timeout: float) -> bytes | None:
        try:
            if not self._pipe.poll(max(timeout, 0.0)):
                return None
            return self._pipe.recv_bytes(_PIECE)
        except EOFError:
            return b""

    def close(self) -> None:
        self._pipe.close()
