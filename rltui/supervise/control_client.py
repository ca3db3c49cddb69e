"""Remote control client."""

from __future__ import annotations

import getpass
import itertools
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Self

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.events import commands
from rltui.events.commands import Command, Hello, Request, ServerMessage, Welcome
from rltui.runs.lock import lock_holder
from rltui.supervise import sockets
from rltui.supervise.sockets import FrameError, FrameReader, pack

if TYPE_CHECKING:
    from types import TracebackType

    from rltui.runs.paths import RunPaths
    from rltui.supervise.sockets import SocketAddress


MOST_AT_ONCE = 64  # pieces of 65,536 bytes that one poll() reads, so that a flood cannot keep it


class TrainerAbsentError(RltuiError):
    """No trainer of the run can be reached: none runs, or it runs elsewhere."""


class TrainerSilentError(RltuiError):
    """The trainer's socket is there and it does not answer (stopped, hung), or it refuses the connection."""


class TrainerGoneError(RltuiError):
    """The connection has ended."""


class ControlClient:
    """A blocking connection to one trainer. `send` and `poll` may be called from two threads.

    readonly: look only. one_shot: of a command line, which never takes control and may always stop the run.
    """

    def __init__(self, name: str = "", *, readonly: bool = False, one_shot: bool = False) -> None:
        self._hello = Hello(name or own_name(), readonly=readonly, one_shot=one_shot)
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._reader = FrameReader()
        self._stream: sockets.ByteStream | None = None
        self._early: list[ServerMessage] = []  # came along with the first Welcome
        self.welcome: Welcome | None = None  # the newest: it is sent again whenever control passes on

    @property
    def controls(self) -> bool:
        """Whether this client holds control, by the newest Welcome."""
        return self.welcome is not None and self.welcome.controller == self.welcome.you

    def connect(self, paths: RunPaths, timeout: float = 2.0) -> Welcome:
        """Connect and introduce ourselves; at most `timeout` seconds. Raises TrainerAbsentError or TrainerSilentError."""
        address = _address(paths)
        deadline = time.monotonic() + timeout
        self._stream = _open(paths, address, timeout)
        try:
            self._transmit(commands.encode(self._hello))
            return self._await_welcome(deadline)
        except TrainerGoneError as error:
            self.close()
            raise TrainerSilentError(
                f"the trainer of run {paths.name} (pid {address.pid}) closed the connection",
                f"its journal says why: {paths.log}",
            ) from error
        except TimeoutError as error:
            self.close()
            raise _silent(paths, address) from error

    def send(self, command: Command) -> int:
        """Send a command; the id that its answers will carry. Raises TrainerGoneError."""
        number = next(self._ids)
        self._transmit(commands.encode(Request(number, command)))
        return number

    def poll(self, timeout: float = 0.0) -> list[ServerMessage]:
        """All that has come, oldest first; waits up to `timeout` seconds for the first. Raises TrainerGoneError."""
        if self._early:
            early, self._early = self._early, []
            return early
        messages: list[ServerMessage] = []
        for _ in range(MOST_AT_ONCE):
            try:
                data = self._receive(0.0 if messages else timeout)
            except TrainerGoneError:
                if messages:
                    return messages  # the next call says that it is gone
                raise
            if data is None:
                break
            messages += self._decode(data)
        return messages

    def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _await_welcome(self, deadline: float) -> Welcome:
        while self.welcome is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            data = self._receive(left)
            self._early += self._decode(data) if data else []
        self._early = [message for message in self._early if message is not self.welcome]
        return self.welcome

    def _transmit(self, payload: bytes) -> None:
        stream = self._connected()
        try:
            with self._sending:
                stream.send(pack(payload))
        except OSError as error:
            raise TrainerGoneError(f"the trainer no longer takes commands: {error}") from error

    def _receive(self, timeout: float) -> bytes | None:
        try:
            data = self._connected().receive(timeout)
        except OSError as error:
            raise TrainerGoneError(f"the connection to the trainer broke: {error}") from error
        if data == b"":
            raise TrainerGoneError("the trainer ended, or dropped this client")
        return data

    def _decode(self, data: bytes) -> list[ServerMessage]:
        try:
            messages = [commands.decode_from_server(payload) for payload in self._reader.feed(data)]
        except (FrameError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TrainerGoneError(f"the trainer sent what this version does not understand: {error}") from error
        for message in messages:
            if isinstance(message, Welcome):
                self.welcome = message
        return messages

    def _connected(self) -> sockets.ByteStream:
        if self._stream is None:
            raise TrainerGoneError("not connected")
        return self._stream


def connected(paths: RunPaths, timeout: float, *, readonly: bool = False) -> ControlClient:
    """A client that has been welcomed; raises as `connect` does."""
    client = ControlClient(readonly=readonly)
    client.connect(paths, timeout)
    return client


def own_name() -> str:
    """How others see this program: "ada on tower, pid 1234"."""
    return f"{user_name()} on {socket.gethostname()}, pid {os.getpid()}"


def user_name() -> str:
    """The login name; the number of a user without one, as in containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "somebody"


def _address(paths: RunPaths) -> SocketAddress:
    address = sockets.read(paths.socket_file)
    if address is None and os.path.lexists(paths.socket_file):
        why = safe_io.problem(paths.socket_file) or "it holds no address"
        raise TrainerSilentError(
            f"run {paths.name}: cannot read its trainer's address from {paths.socket_file}: {why}",
            "end the trainer (rltui status names its pid) and move that file",
        )
    if address is None and lock_holder(paths) is not None:
        raise TrainerSilentError(f"the trainer of run {paths.name} takes no commands: it is starting or ending")
    if address is None:
        raise TrainerAbsentError(f"no trainer is running for run {paths.name}", "list runs: rltui ls")
    if address.host != socket.gethostname():
        raise TrainerAbsentError(
            f"run {paths.name} is trained on host {address.host} (pid {address.pid}), this is {socket.gethostname()}",
            "attach there",
        )
    return address


def _open(paths: RunPaths, address: SocketAddress, timeout: float) -> sockets.ByteStream:
    run = paths.name
    try:
        return sockets.open_stream(address, timeout)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        if lock_holder(paths) is not None:  # so it is there
            raise TrainerSilentError(
                f"the trainer of run {run} (pid {address.pid}) has lost its control socket: {address.address}",
                "it makes a new one within seconds: try again",
            ) from error
        raise TrainerAbsentError(
            f"the trainer of run {run} (pid {address.pid}) died",
            f"resume from its newest checkpoint: rltui train PROFILE --run {run}",
        ) from error
    except PermissionError as error:
        raise TrainerAbsentError(
            f"run {run} belongs to another user: cannot open {address.address}",
            "log in as that user",
        ) from error
    except (TimeoutError, BlockingIOError) as error:
        raise _silent(paths, address) from error
    except OSError as error:
        raise TrainerAbsentError(
            f"run {run}: cannot reach the trainer at {address.address}: {error.strerror or error}",
            "rltui ls shows whether it still runs",
        ) from error


def _silent(paths: RunPaths, address: SocketAddress) -> TrainerSilentError:
    from rltui.supervise.processes import is_stopped

    return TrainerSilentError(
        f"the trainer of run {paths.name} (pid {address.pid}) does not answer",
        commands.stopped_words(address.pid) if is_stopped(address.pid) else f"its output: {paths.log}",
    )
