"""A local socket that listens for this user's own processes: made, protected, named and taken away again."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from pathlib import Path

from rltui.errors import RltuiError
from rltui.supervise import socket_address
from rltui.supervise.socket_address import SocketAddress

BACKLOG = 64  # connections that wait to be accepted
SEND_BUFFER = 1 << 15  # bytes; what a stopped viewer finds queued when it goes on is old, so keep it small


class SocketListener:
    """A Unix socket of mode 0600 in a 0700 folder. Sockets of dead processes in that folder are removed."""

    def __init__(self, address: SocketAddress) -> None:
        """RltuiError where it cannot be made, or another process listens there already."""
        self.address = address
        self._path = Path(address.address)
        socket_address.sweep(self._path.parent)
        self.door = _listen(self._path)
        self._made = self._path.lstat()

    @property
    def lost(self) -> bool:
        """Whether somebody took the socket's file away, so that nobody finds it any more."""
        try:
            return not os.path.samestat(self._path.lstat(), self._made)
        except OSError:
            return True

    def accept(self) -> socket.socket | None:
        connection, _ = self.door.accept()
        if peer_uid(connection) not in (None, os.geteuid()):
            connection.close()
            return None
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        return connection

    def close(self) -> None:
        """Take the file away too, if it is still this one's."""
        self.door.close()
        if not self.lost:
            with contextlib.suppress(OSError):
                self._path.unlink()
        if self._path.parent.name != f"rltui-{os.getuid()}":
            with contextlib.suppress(OSError):
                self._path.parent.rmdir()  # a private folder that was made for this socket alone


def peer_uid(connection: socket.socket) -> int | None:
    """The user id at the other end, by the kernel's word; None where the system has no SO_PEERCRED (file modes hold)."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    layout = struct.Struct("3i")  # pid, uid, gid
    _, uid, _ = layout.unpack(connection.getsockopt(socket.SOL_SOCKET, option, layout.size))
    return int(uid)


def _listen(path: Path) -> socket.socket:
    """Listen under a temporary name first: what has a `.sock` name and refuses connections is dead, and may be swept."""
    if path.exists() and not socket_address.is_dead(path):
        raise RltuiError(f"another trainer listens at {path}", "rltui ls shows what is running")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        listening.bind(str(temporary))
        temporary.chmod(0o600)
        listening.listen(BACKLOG)
        listening.setblocking(False)
        temporary.rename(path)
    except OSError as error:
        listening.close()
        temporary.unlink(missing_ok=True)
        raise RltuiError(
            f"cannot make the control socket {path}: {error}", "set XDG_RUNTIME_DIR to a folder of yours"
        ) from error
    return listening
