"""Frames, addresses, listener, client stream."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import select
import socket
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.events.commands import MAX_FRAME

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


_HEADER = struct.Struct(">I")


class FrameError(Exception):
    """The other side sent something that is not a frame; the connection must be closed."""


def pack(payload: bytes) -> bytes:
    """One frame. ValueError for a payload above the protocol's cap, which no reader would take."""
    if not 0 < len(payload) <= MAX_FRAME:
        raise ValueError(f"a frame holds 1 to {MAX_FRAME} bytes, not {len(payload)}")
    return _HEADER.pack(len(payload)) + payload


class FrameReader:
    """Bytes in, in any pieces; whole payloads out. Never holds more than one frame's cap and one piece."""

    def __init__(self, cap: int = MAX_FRAME) -> None:
        self._cap = cap
        self._buffer = bytearray()

    @property
    def half(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads that `data` completes. FrameError as soon as a length is empty or above the cap."""
        self._buffer += data
        payloads = []
        at = 0
        while len(self._buffer) - at >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._buffer, at)
            if not 0 < length <= self._cap:
                raise FrameError(f"a frame of {length} bytes (1 to {self._cap} allowed)")
            end = at + _HEADER.size + length
            if len(self._buffer) < end:
                break
            payloads.append(bytes(self._buffer[at + _HEADER.size : end]))
            at = end
        del self._buffer[:at]
        return payloads


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


# Where a run's control socket is: `socket.json` in the run folder, the socket itself at a short private path.
#
# A socket path may have about 100 bytes, a run folder's path any number, so the socket lies in
# `<XDG_RUNTIME_DIR or temp folder>/rltui-<uid>/` under a hash of the run folder. Windows has named pipes instead, and a
# random key in `socket.json` takes the place of file modes.

LONGEST_PATH = 100  # bytes; sun_path holds 108 on Linux and 104 on macOS, and a temporary suffix must fit


class SocketAddress(msgspec.Struct, frozen=True):
    """The content of `socket.json`."""

    family: Literal["AF_UNIX", "AF_PIPE"]
    address: str
    pid: int
    host: str
    authkey: str = ""  # hex; AF_PIPE only


def choose(run_folder: Path) -> SocketAddress:
    """An address for this process's socket, in a folder that exists and is this user's alone."""
    name = hashlib.sha256(os.fsencode(safe_io.real(run_folder))).hexdigest()[:16]
    if sys.platform == "win32":
        key = secrets.token_hex(32)
        return SocketAddress("AF_PIPE", rf"\\.\pipe\rltui-{name}", os.getpid(), socket.gethostname(), key)
    path = private_folder() / f"{name}.sock"
    return SocketAddress("AF_UNIX", str(path), os.getpid(), socket.gethostname())


def private_folder() -> Path:
    """`rltui-<uid>`, mode 0700 and ours; a fresh private folder where somebody else holds every such name."""
    for parent in _parents():
        folder = parent / f"rltui-{os.getuid()}"
        if len(os.fsencode(folder)) + len("/0123456789abcdef.sock") < LONGEST_PATH and _make_private(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="rltui-", dir="/tmp"))


def _parents() -> Iterator[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        yield Path(runtime)
    yield Path(tempfile.gettempdir())
    yield Path("/tmp")


def _make_private(folder: Path) -> bool:
    """Whether the folder is (now) a real folder of this user that nobody else may enter."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return False
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def write(file: Path, address: SocketAddress) -> None:
    """Put `socket.json` in place whole, readable by its owner only (it may hold the key)."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.encode(address) + b"\n")
    temporary.replace(file)


def read(file: Path) -> SocketAddress | None:
    """The address written there; None where there is no file or nothing that can be read."""
    try:
        return msgspec.json.decode(safe_io.read_bytes(file), type=SocketAddress)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def sweep(folder: Path) -> list[Path]:
    """Remove sockets in `folder` that nobody listens on any more (their trainer died). Returns those removed.

    A trainer listens before it gives its socket a `.sock` name, so a refused connection means that it is dead.
    """
    removed = []
    for path in folder.glob("*.sock"):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(path.lstat().st_mode) and is_dead(path):
                path.unlink(missing_ok=True)
                removed.append(path)
    return removed


def is_dead(path: Path) -> bool:
    """Whether a socket file is there and refuses connections."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # a full backlog must answer "busy", not hang
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False


BACKLOG = 64  # connections that wait to be accepted
SEND_BUFFER = 1 << 15  # bytes; what a stopped viewer finds queued when it goes on is old, so keep it small


class SocketListener:
    """A Unix socket of mode 0600 in a 0700 folder. Sockets of dead processes in that folder are removed."""

    def __init__(self, address: SocketAddress) -> None:
        """RltuiError where it cannot be made, or another process listens there already."""
        self.address = address
        self._path = Path(address.address)
        sweep(self._path.parent)
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
    if path.exists() and not is_dead(path):
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
