"""Where a run's control socket is: `socket.json` in the run folder, the socket itself at a short private path.

A socket path may have about 100 bytes, a run folder's path any number, so the socket lies in
`<XDG_RUNTIME_DIR or temp folder>/rltui-<uid>/` under a hash of the run folder. Windows has named pipes instead, and a
random key in `socket.json` takes the place of file modes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from rltui import safe_io

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
