"""Frames survive any cutting; sockets lie at short paths in private folders, and no dead one is left; pipes on Windows."""

from __future__ import annotations

import os
import queue
import socket
import stat
import struct
from collections.abc import Iterator
from itertools import pairwise
from multiprocessing import Pipe
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events.commands import MAX_FRAME
from rltui.supervise import sockets
from rltui.supervise.sockets import FrameError, FrameReader, PipeListener, PipeStream, SocketAddress, pack


@settings(max_examples=60)
@given(st.lists(st.binary(min_size=1, max_size=300), max_size=6), st.lists(st.integers(0, 1500), max_size=8))
def test_any_cutting_gives_the_same_payloads(payloads: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pack(payload) for payload in payloads)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = FrameReader()
    found = [payload for start, end in pairwise(edges) for payload in reader.feed(stream[start:end])]
    assert found == payloads
    assert not reader.half


def test_a_half_frame_is_known_as_such() -> None:
    reader = FrameReader()
    assert reader.feed(pack(b"abc")[:5]) == []
    assert reader.half
    assert reader.feed(b"bc") == [b"abc"]
    assert not reader.half


def test_a_length_is_judged_by_its_header_alone() -> None:
    for length in (0, 65, 2**31, 2**32 - 1):
        with pytest.raises(FrameError, match=str(length)):
            FrameReader(cap=64).feed(struct.pack(">I", length))
    assert FrameReader(cap=64).feed(pack(b"x" * 64)) == [b"x" * 64]
    for size in (0, MAX_FRAME + 1):  # what no reader would take is not packed
        with pytest.raises(ValueError, match="bytes"):
            pack(b"x" * size)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder of this test's own, with a path short enough for sockets wherever pytest keeps its folders."""
    with TemporaryDirectory(prefix="rt-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def runtime(short: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = short / "run"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_the_path_is_short_however_long_the_run_folder(runtime: Path, tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["a long folder name"] * 20)
    address = sockets.choose(deep)
    assert Path(address.address).is_relative_to(runtime)
    assert len(os.fsencode(address.address)) < 104
    assert address.pid == os.getpid()
    assert address.host == socket.gethostname()
    assert sockets.choose(deep).address == address.address
    assert sockets.choose(deep / "other").address != address.address


def test_the_folder_is_ours_alone_and_made_so_again(runtime: Path) -> None:
    folder = sockets.private_folder()
    assert folder.parent == runtime
    folder.chmod(0o777)
    assert sockets.private_folder() == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_squatted_name_and_a_long_path_are_passed_over(
    runtime: Path, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(short))
    (runtime / f"rltui-{os.getuid()}").symlink_to(tmp_path)
    assert sockets.private_folder() == short / f"rltui-{os.getuid()}"
    assert list(tmp_path.iterdir()) == []
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    assert sockets.private_folder() == short / f"rltui-{os.getuid()}"


def test_socket_json_is_whole_private_and_read_back(tmp_path: Path) -> None:
    address, file = SocketAddress("AF_UNIX", "/somewhere/a.sock", 7, "tower"), tmp_path / "socket.json"
    sockets.write(file, address)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sockets.read(file) == address
    assert [path.name for path in tmp_path.iterdir()] == ["socket.json"]
    for content in (b"", b"{", b'{"family": "AF_INET", "address": "x", "pid": 1, "host": "h"}', b"\xff"):
        file.write_bytes(content)
        assert sockets.read(file) is None, content


def test_sweeping_removes_the_dead_and_only_those(runtime: Path) -> None:
    folder = sockets.private_folder()
    dead, living, other = folder / "dead.sock", folder / "living.sock", folder / "note.sock"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(dead))
        gone.listen()
    other.write_text("a file, no socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(living))
        listening.listen()
        assert sockets.sweep(folder) == [dead]
        assert living.exists() and other.exists()
        assert not dead.exists()


class NamedPipes:
    """Windows' part of `multiprocessing.connection`: a pipe's name, a queue of who connects to it."""

    def __init__(self) -> None:
        self.opened: dict[str, queue.Queue[Connection | None]] = {}

    def serve(self, name: str, family: str) -> NamedPipe:
        assert family == "AF_PIPE" and name not in self.opened
        self.opened[name] = queue.Queue()
        return NamedPipe(self.opened[name])

    def connect(self, name: str, family: str, key: bytes) -> Connection:
        assert family == "AF_PIPE"
        ours, theirs = Pipe()
        self.opened[name].put(theirs)
        answer_challenge(ours, key)
        deliver_challenge(ours, key)
        return ours


class NamedPipe:
    def __init__(self, arrivals: queue.Queue[Connection | None]) -> None:
        self._arrivals = arrivals

    def accept(self) -> Connection:
        pipe = self._arrivals.get()
        if pipe is None:
            raise OSError("closed")
        return pipe

    def close(self) -> None:
        self._arrivals.put(None)


def test_on_windows_a_keyed_pipe_takes_the_socket_s_place() -> None:
    address, again = sockets.pipe_address("0123"), sockets.pipe_address("0123")
    assert (address.family, address.address) == ("AF_PIPE", r"\\.\pipe\rltui-0123")
    assert len(address.authkey) == 64 and address.authkey != again.authkey
    pipes = NamedPipes()
    listener = PipeListener(address, pipes.serve)
    stream = PipeStream(address, pipes.connect)
    listener.listening.setblocking(True)
    accepted = listener.accept()
    assert accepted is not None and not listener.lost
    stream.send(b"to the trainer")
    assert accepted.recv(100) == b"to the trainer"
    accepted.sendall(b"to the client")
    assert stream.receive(10.0) == b"to the client"
    assert stream.receive(0.0) is None
    accepted.close()
    assert stream.receive(10.0) == b""
    stream.close()
    listener.close()
