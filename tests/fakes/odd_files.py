"""What may lie where a file is expected, and a limit to how long a look at it may take."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType

HUGE = 2 << 30  # bytes; none of them is on disk
NOBODY = 65534


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _write(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _locked(path: Path) -> None:
    path.write_bytes(b"")
    path.chmod(0)


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, HUGE)


KINDS: Mapping[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": _socket,
    "folder": Path.mkdir,
    "link to nothing": lambda path: path.symlink_to("nowhere/at/all"),
    "loop of links": lambda path: path.symlink_to(path.name),
    "not to be read": _locked,
    "two gigabytes": _huge,
    "not UTF-8": _write(b"label = \"caf\xe9\"\n\xff\xfe\n"),
    "a NUL": _write(b"label = \"a\0b\"\n"),
}  # fmt: skip
CONTENT = frozenset({"not UTF-8", "a NUL"})  # files, to be read and found wanting


@contextlib.contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Root may read everything: be somebody else, to whom the folder belongs, for a while."""
    if os.geteuid() != 0:
        yield
        return
    for place in (folder, *folder.rglob("*")):
        if not place.is_symlink() and place.stat().st_mode & 0o777:
            os.chown(place, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextlib.contextmanager
def at_once(seconds: float = 5.0) -> Iterator[None]:
    """AssertionError where the block is not done by then, even if it waits in the kernel. For the main thread."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
