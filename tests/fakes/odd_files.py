"""What may lie where a file is expected, and limits to how long a look at it may take, and how much."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import socket
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
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


@cache
def _zip(members: int) -> bytes:
    """Its entries all name one member."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a"), b"")
        archive.filelist *= members
    return out.getvalue()


@cache
def _keys(count: int) -> bytes:
    return "\n".join(f"a{number}=1" for number in range(count)).encode()


def _torch_zip(pickled: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
    return out.getvalue()


# By the ending of a name: contents of which a parser makes too much, by what they are.
TOO_MUCH: Mapping[str, Mapping[str, Callable[[], bytes]]] = {
    ".toml": {
        "a million keys": lambda: _keys(1_000_000),
        "20,000 keys": lambda: _keys(20_000),
        "80,000 elements": lambda: b"resets = [" + b"1, " * 80_000 + b"]",
        "a key of 100,000 parts": lambda: b".".join([b"a"] * 100_000) + b" = 1",
        "a header of 40,000 parts": lambda: b"[" + b".".join([b'"a b"'] * 40_000) + b"]",
        "depth of 200,000": lambda: b"a = " + b"[" * 200_000,
    },
    ".json": {
        "a million keys": lambda: b"{" + b",".join(b'"a%d":0' % number for number in range(1_000_000)) + b"}",
        "depth of a million": lambda: b"[" * 1_000_000,
        "depth within a key": lambda: b'{"marks":' + b'{"a":' * 500_000,
    },
    ".jsonl": {
        "depth within a key": lambda: b'{"event":"run_resumed","a":' + b"[" * 60_000 + b"\n",
        "a million keys": lambda: b"{" + b",".join(b'"a%d":0' % number for number in range(1_000_000)) + b"}\n",
    },
    ".npz": {"60,000 members": lambda: _zip(60_000)},
    ".pt": {
        "60,000 members": lambda: _zip(60_000),
        "a million opcodes": lambda: _torch_zip(b"\x80\x02" + b"N0" * 500_000 + b"N."),
        "400,000 opcodes": lambda: _torch_zip(b"\x80\x02" + b"N0" * 200_000 + b"N."),
        "a million keys": lambda: _torch_zip(b"\x80\x02}(" + b"J\0\0\0\0N" * 1_000_000 + b"u."),
    },
    ".csv": {
        "a million lines": lambda: b"\n" * 1_000_000,
        "a million lines of another kind": lambda: b"#\r" * 1_000_000,
        "a million cells": lambda: b"0," * 1_000_000,
    },
    ".npy": {
        "an archive": lambda: _zip(60_000),
        "a header of 60 MB": lambda: b"\x93NUMPY\x02\x00" + (60_000_000).to_bytes(4, "little") + b" " * 60_000_000,
    },
}
# Just not too much: what the slowest readers take.
ENOUGH: Mapping[str, Callable[[], bytes]] = {
    "1,900 unknown keys": lambda: _keys(1_900),
    "a word of 200,000 letters": lambda: b"a" * 200_000 + b" = 1",
    "200,000 quotes": lambda: b'"' * 200_000,
}
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


@contextlib.contextmanager
def little_work(calls: int = 3_000_000, memory: int = 64 << 20) -> Iterator[None]:
    """AssertionError where the block calls more functions than that, Python's or C's, or has more bytes at a time."""
    made = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")
        if made > calls:
            sys.setprofile(None)
            raise AssertionError(f"more than {calls:,} calls")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most <= memory, f"{most:,} bytes"
