"""MatchStream: the match for those on this machine who look on (events.watched). Newest wins: a slow one misses frames."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rltui.errors import RltuiError
from rltui.supervise import socket_address
from rltui.supervise.frames import pack
from rltui.supervise.socket_listener import SocketListener

INTERVAL = 1 / 6  # seconds between two frames
MOST_CLIENTS = 8


def new_address(run_folder: Path) -> socket_address.SocketAddress:
    """A place of its own for each viewer of a run: one that ends may take a while, and the next one streams meanwhile."""
    return socket_address.choose(run_folder / f"viewer-{os.getpid()}-{time.time_ns()}")


class MatchStream:
    """For one thread, which calls `offer` often; nothing here waits. Without Unix sockets (Windows) there is none."""

    def __init__(self, run_folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._due = clock, 0.0
        self._listener: SocketListener | None = None
        self._clients: list[_Client] = []
        self._run_folder = run_folder
        self.problem = "there is no stream on Windows" if sys.platform == "win32" else ""
        if not self.problem:
            self._listen()

    @property
    def address(self) -> str:
        """The socket's path; "" where there is none."""
        return self._listener.address.address if self._listener is not None else ""

    def offer(self, frame: Callable[[], bytes]) -> None:
        """Send a frame to everybody who has taken the one before, if it is time; made only when somebody looks on."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + INTERVAL
        if self._listener is not None and self._listener.lost:
            self._listener.close()
            self._listen()
        self._accept()
        ready = [client for client in self._clients if client.flush()]
        if ready:
            content = pack(frame())
            for client in ready:
                client.send(content)
        self._clients = [client for client in self._clients if client.alive]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        if self._listener is not None:
            self._listener.close()

    def _listen(self) -> None:
        """At a new address; where that cannot be, there is none."""
        self._listener = None
        try:
            self._listener = SocketListener(new_address(self._run_folder))
        except RltuiError as error:
            self.problem = error.message
        except OSError as error:
            self.problem = f"no place for the match's socket: {error}"

    def _accept(self) -> None:
        while self._listener is not None:
            try:
                connection = self._listener.accept()
            except OSError:  # nobody is there
                return
            if connection is None:
                continue
            if len(self._clients) >= MOST_CLIENTS:
                connection.close()
                continue
            connection.setblocking(False)
            self._clients.append(_Client(connection))


class _Client:
    """One who looks on, and what of its newest frame is still to be sent."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._rest = b""
        self.alive = True

    def flush(self) -> bool:
        """Whether it has taken everything."""
        self._push()
        return self.alive and not self._rest

    def send(self, content: bytes) -> None:
        self._rest = content
        self._push()

    def _push(self) -> None:
        try:
            if self._connection.recv(1) == b"":
                return self.close()
        except BlockingIOError:
            pass  # it has nothing to say, as it should
        except OSError:
            return self.close()
        try:
            while self._rest:
                self._rest = self._rest[self._connection.send(self._rest) :]
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self) -> None:
        self.alive = False
        with contextlib.suppress(OSError):
            self._connection.close()
