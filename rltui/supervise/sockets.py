"""Sockets of trainers and viewers: frames, addresses, client streams, listeners; named pipes in their place on Windows."""

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
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.events.commands import MAX_FRAME

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BACKLOG = 64  # connections that wait to be accepted
SEND_BUFFER = 1 << 15  # bytes; what a stopped viewer finds queued when it goes on is old, so keep it small
LONGEST_PATH = 100  # bytes; sun_path holds 108 on Linux and 104 on macOS, and a temporary suffix must fit
QUEUE_FULL_PAUSE = 0.01  # seconds
PIPE_POLL_INTERVAL = 0.1  # seconds; closing a pipe wakes nobody who reads from it
NO_UNIX_SOCKETS = "Python has no Unix sockets on Windows"
_PIECE = 1 << 16  # bytes read at once; no message of a pipe is longer
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


class SocketAddress(msgspec.Struct, frozen=True):
    """Where a run's control socket is: the content of `socket.json` in the run folder.

    A socket path may have about 100 bytes, a run folder's path any number, so the socket lies in
    `<XDG_RUNTIME_DIR or temp folder>/rltui-<uid>/` under a hash of the run folder. On Windows it is a named pipe, and a
    random key takes the place of file modes.
    """

    family: Literal["AF_UNIX", "AF_PIPE"]
    address: str
    pid: int
    host: str
    authkey: str = ""  # hex; AF_PIPE only


def choose(run_folder: Path) -> SocketAddress:
    """An address for this process's socket, in a folder that exists and is this user's alone."""
    name = hashlib.sha256(os.fsencode(safe_io.real(run_folder))).hexdigest()[:16]
    if sys.platform != "win32":
        path = private_folder() / f"{name}.sock"
        return SocketAddress("AF_UNIX", str(path), os.getpid(), socket.gethostname())
    return pipe_address(name)


def pipe_address(name: str) -> SocketAddress:
    """A named pipe of Windows, with a fresh key."""
    key = secrets.token_hex(32)
    return SocketAddress("AF_PIPE", rf"\\.\pipe\rltui-{name}", os.getpid(), socket.gethostname(), key)


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
        from multiprocessing.connection import Client  # 14 ms, needed on Windows only

        return PipeStream(address, Client)
    return open_path(address.address, timeout)


def open_path(path: str, timeout: float) -> ByteStream:
    """Connect to a Unix socket. OSError when that fails."""
    if sys.platform != "win32":
        return SocketStream(path, timeout)
    raise OSError(NO_UNIX_SOCKETS)


class PipeStream:
    """A connection of `multiprocessing.connection`, as bytes only: `recv()` would unpickle and is never called."""

    def __init__(self, address: SocketAddress, connect: Callable[..., Any]) -> None:
        """connect: `multiprocessing.connection.Client`."""
        self._pipe: Connection = connect(address.address, address.family, bytes.fromhex(address.authkey))

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


class Listener(Protocol):
    """What serves clients: `listening` is readable while there is something to accept."""

    address: SocketAddress
    listening: socket.socket

    @property
    def lost(self) -> bool:
        """Whether clients cannot find it any more, for somebody took it away."""

    def accept(self) -> socket.socket | None:
        """A new connection; None where it was another user's. OSError (also BlockingIOError) as accept(2)."""

    def close(self) -> None: ...


def open_listener(address: SocketAddress) -> Listener:
    """Listen there. RltuiError where that cannot be done, or another process listens already."""
    if address.family == "AF_PIPE":
        from multiprocessing.connection import Listener as PipeServer

        return PipeListener(address, PipeServer)
    if sys.platform != "win32":
        return SocketListener(address)
    raise OSError(NO_UNIX_SOCKETS)


class PipeListener:
    """Windows' named pipes for a loop that knows only sockets.

    Each pipe that has proved that it knows the key (HMAC, both ways) is pumped to one end of a socket pair; the loop
    serves the other end as it serves a Unix socket. Bytes only: `Connection.recv()` would unpickle and is never called.
    """

    def __init__(self, address: SocketAddress, serve: Callable[..., Any]) -> None:
        """serve: `multiprocessing.connection.Listener`."""
        self.address = address
        self._pipes = serve(address.address, address.family)  # with its authkey, accept() would wait for each client
        self._key = bytes.fromhex(address.authkey)
        self._arrived: deque[socket.socket] = deque()
        self.listening, self._ring = socket.socketpair()
        self.listening.setblocking(False)
        self._closed = False
        _start_thread(self._accept_pipes)

    @property
    def lost(self) -> bool:
        """Never: a pipe's name lasts as long as the pipe."""
        return False

    def accept(self) -> socket.socket | None:
        self.listening.recv(1)
        return self._arrived.popleft()

    def close(self) -> None:
        self._closed = True
        self._pipes.close()
        for end in (self.listening, self._ring, *self._arrived):
            end.close()

    def _accept_pipes(self) -> None:
        while not self._closed:
            with contextlib.suppress(OSError, EOFError):
                _start_thread(self._introduce, self._pipes.accept())

    def _introduce(self, pipe: Connection) -> None:
        """Challenge the client, hand its socket over, carry what it sends; one thread a client."""
        from multiprocessing import AuthenticationError
        from multiprocessing.connection import answer_challenge, deliver_challenge

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
        _start_thread(_carry_out, ours, pipe, ended)
        _carry_in(pipe, ours, ended)


def _start_thread(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True, name="control pipe").start()


def _carry_in(pipe: Connection, ours: socket.socket, ended: threading.Event) -> None:
    """From the client to the loop. Ends when either is gone."""
    with contextlib.suppress(EOFError, OSError):
        while not ended.is_set():
            if pipe.poll(PIPE_POLL_INTERVAL):
                ours.sendall(pipe.recv_bytes(_PIECE))
    with contextlib.suppress(OSError):
        ours.shutdown(socket.SHUT_RDWR)
    pipe.close()


def _carry_out(ours: socket.socket, pipe: Connection, ended: threading.Event) -> None:
    """From the loop to the client. Ends when either is gone."""
    with contextlib.suppress(OSError):
        while data := ours.recv(_PIECE):
            pipe.send_bytes(data)
    ended.set()
    ours.close()


def takes_more(pipe: Connection) -> bool:
    """Whether a message of a few hundred bytes can be sent without waiting. Windows does not say: as if it could."""
    if sys.platform == "win32":
        return True
    room = select.poll()
    room.register(pipe, select.POLLOUT)
    return bool(room.poll(0))


if sys.platform != "win32":

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

    class SocketListener:
        """A Unix socket of mode 0600 in a 0700 folder. Sockets of dead processes in that folder are removed."""

        def __init__(self, address: SocketAddress) -> None:
            """RltuiError where it cannot be made, or another process listens there already."""
            self.address = address
            self._path = Path(address.address)
            sweep(self._path.parent)
            self.listening = _listen(self._path)
            self._made = self._path.lstat()

        @property
        def lost(self) -> bool:
            """Whether somebody took the socket's file away, so that nobody finds it any more."""
            try:
                return not os.path.samestat(self._path.lstat(), self._made)
            except OSError:
                return True

        def accept(self) -> socket.socket | None:
            connection, _ = self.listening.accept()
            if peer_uid(connection) not in (None, os.geteuid()):
                connection.close()
                return None
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            return connection

        def close(self) -> None:
            """Take the file away too, if it is still this one's."""
            self.listening.close()
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
