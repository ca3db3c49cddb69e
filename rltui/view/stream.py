"""Stream of frames for viewers, and WeightsBoard: the newest weights in shared memory."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rltui.errors import RltuiError
from rltui.supervise import sockets
from rltui.supervise.shared_memory import ENLARGE, SharedBlock
from rltui.supervise.sockets import Listener, open_listener, pack

INTERVAL = 1 / 6  # seconds between two frames
MOST_CLIENTS = 8
Weights = NDArray[np.float32]
HEADER = 2  # int64: version, timesteps


def new_address(run_folder: Path) -> sockets.SocketAddress:
    """A place of its own for each viewer of a run: one that ends may take a while, and the next one streams meanwhile."""
    return sockets.choose(run_folder / f"viewer-{os.getpid()}-{time.time_ns()}")


class MatchStream:
    """For one thread, which calls `offer` often; nothing here waits. Without Unix sockets (Windows) there is none."""

    def __init__(self, run_folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._due = clock, 0.0
        self._listener: Listener | None = None
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
            self._listener = open_listener(new_address(self._run_folder))
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


class WeightsBoard:
    """Newest weights in shared memory: `parameters` float32 numbers and the timesteps after which they were written.

    A sequence lock: the version is odd while the one writer writes, and a reader that sees it change throws its copy away.
    """

    def __init__(self, memory: SharedBlock, parameters: int) -> None:
        """memory: what the writer has, or what a reader was handed of it."""
        self.memory = memory
        self._header: NDArray[np.int64] = np.ndarray((HEADER,), np.int64, memory.buf)
        self._weights: Weights = np.ndarray((parameters,), np.float32, memory.buf, HEADER * 8)

    @classmethod
    def create(cls, parameters: int) -> WeightsBoard:
        """RltuiError where shared memory has no room for it, OSError where the system gives none."""
        needed = HEADER * 8 + parameters * 4
        return cls(SharedBlock.create(needed, "the viewer needs", ENLARGE), parameters)

    @property
    def version(self) -> int:
        """Changes with every write; 0 before the first."""
        return int(self._header[0])

    def write(self, weights: Weights, timesteps: int) -> None:
        """Put these in the place of those before."""
        self._header[0] += 1
        self._weights[:] = weights
        self._header[1] = timesteps
        self._header[0] += 1

    def read(self) -> tuple[int, int, Weights] | None:
        """(version, timesteps, a copy of the weights); None before the first write and while one is under way."""
        version = self.version
        if version == 0 or version % 2:
            return None
        weights, timesteps = self._weights.copy(), int(self._header[1])
        return (version, timesteps, weights) if self.version == version else None

    def close(self) -> None:
        """Let go of the memory. A second time nothing happens."""
        for array in ("_header", "_weights"):
            self.__dict__.pop(array, None)
        with contextlib.suppress(BufferError):
            self.memory.close()
