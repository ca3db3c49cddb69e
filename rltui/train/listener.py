"""The listening end of the control socket: a Unix socket, or a named pipe on Windows."""

from __future__ import annotations

import socket
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
        from rltui.train.pipe_listener import PipeListener  # Windows only

        return PipeListener(address)
    return SocketListener(address)
