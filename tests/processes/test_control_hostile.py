"""The control socket against clients that are hostile, broken, flooding or slow: what becomes of each.

What they cost a trainer, and a viewer that was stopped: test_clients_of_a_real_run; random frames: property/test_hostile_frames.
"""

from __future__ import annotations

import os
import pickle
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rltui.events import commands
from rltui.events.commands import CommandAccepted, CommandRefused, Hello, Pause, Request, Welcome
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient, TrainerGoneError
from rltui.supervise.sockets import FrameReader, pack
from rltui.train.control.clients import Limits
from rltui.train.control.server import ControlLoop, ControlServer
from tests.fakes.forked import Forked
from tests.fakes.training import wait_for

SECONDS = 10.0
QUICK = Limits(hello_seconds=0.5, frame_seconds=0.5, clients=4, connections_at_once=1_000_000)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunPaths]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("rt")))
        made = DataDir(tmp_path_factory.mktemp("data")).run("alpha")
        made.folder.mkdir(parents=True)
        yield made


@pytest.fixture
def log() -> list[object]:
    return []


@pytest.fixture
def server(paths: RunPaths, log: list[object]) -> Iterator[ControlServer]:
    with ControlServer(paths, "alpha", log.append, QUICK) as running:
        yield running


def raw(paths: RunPaths) -> socket.socket:
    """A connection that says what the test wants."""
    address = sockets.read(paths.socket_file)
    assert address is not None
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(SECONDS)

    def connected() -> bool:
        try:
            connection.connect(address.address)
        except BlockingIOError:  # the queue is full for a moment
            return False
        return True

    wait_for(connected, "room in the queue", SECONDS)
    return connection


def greeted(paths: RunPaths, name: str = "eve") -> socket.socket:
    connection = raw(paths)
    connection.sendall(pack(commands.encode(Hello(name))))
    reader, heard = FrameReader(), list[bytes]()
    while not heard:  # a stream knows no messages: half a one may come, or two at once
        data = connection.recv(4096)
        assert data, "hung up instead of a welcome"
        heard += reader.feed(data)
    assert isinstance(commands.decode_from_server(heard[0]), Welcome)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the server hangs up, whatever it sends before."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return True


def still_served(paths: RunPaths) -> bool:
    with ControlClient("friend") as client:
        return client.connect(paths).run == "alpha"


HOSTILE = {
    "two gigabytes": struct.pack(">I", 1 << 31) + b"x" * 100,
    "empty frame": struct.pack(">I", 0),
    "above the cap": struct.pack(">I", Limits().frame + 1),
    "no JSON": pack(b"\xff\xfe\x00hello"),
    "no command": pack(b'{"type": "format disk"}'),
    "wrong types": pack(b'{"type":"request","id":"one","command":{"type":"pause"}}'),
    "huge id": pack(b'{"type":"request","id":' + b"9" * 400 + b',"command":{"type":"pause"}}'),
    "deep JSON": pack(b"[" * 30000),
    "unknown stop": pack(b'{"type":"request","id":1,"command":{"type":"stop","mode":"please"}}'),
    "a second hello": pack(commands.encode(Hello("eve again"))),
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


def test_a_hostile_frame_closes_its_connection_and_nothing_else(
    server: ControlServer, paths: RunPaths, subtests: pytest.Subtests
) -> None:
    for number, (name, sent) in enumerate(HOSTILE.items(), start=1):
        with subtests.test(name), greeted(paths) as connection:
            connection.sendall(sent)
            assert is_closed(connection)
            assert sum(server.closed().values()) == number
            assert server.commands.take_all() == []
            assert still_served(paths)


def test_a_command_before_the_introduction_and_another_protocol_close(server: ControlServer, paths: RunPaths) -> None:
    for sent in (Request(1, Pause()), Hello("eve", protocol=2)):
        with raw(paths) as connection:
            connection.sendall(pack(commands.encode(sent)))
            assert is_closed(connection)
    assert server.closed() == {"garbage": 1, "protocol": 1}
    assert server.commands.take_all() == []


def test_silence_and_half_frames_end_by_themselves(server: ControlServer, paths: RunPaths) -> None:
    halves = (b"", b"\x00\x00", struct.pack(">I", 50) + b"half")
    for sent in halves:
        with raw(paths) as connection:
            connection.sendall(sent)
            assert is_closed(connection)
    for sent in halves[1:]:
        with greeted(paths) as connection:
            connection.sendall(sent)
            assert is_closed(connection)
    assert server.closed() == {"late": 5}


def test_a_pickle_is_never_unpickled(server: ControlServer, paths: RunPaths, tmp_path: Path) -> None:
    canary = tmp_path / "canary"

    class Payload:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(canary),)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        body = pickle.dumps(Payload(), protocol)
        for sent in (body, pack(body)):
            with greeted(paths) as connection:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                assert is_closed(connection)
    assert not canary.exists()
    assert server.closed().total() >= pickle.HIGHEST_PROTOCOL + 1
    pickle.loads(body)
    assert canary.exists()  # the payload does what it says


def test_a_pause_that_ends_just_before_the_wait_is_not_waited_through(server: ControlServer) -> None:
    """Accepting pauses for a moment in a storm of clients. As seen a second ago the door is shut; it opens meanwhile."""
    running = server._loop
    assert running is not None
    loop = ControlLoop(running._listener, running._router, QUICK, lambda line: None, time.time)
    then = time.monotonic() - 1.0
    loop._accept_from = then + 0.5
    loop._register(then)
    assert loop._timeout(then) == 0.0


def test_more_clients_than_there_is_room_for_are_turned_away(server: ControlServer, paths: RunPaths) -> None:
    held = [greeted(paths, f"client {number}") for number in range(QUICK.clients)]
    with raw(paths) as connection:
        assert is_closed(connection)
    assert server.closed() == {"crowded": 1}
    held.pop().close()
    wait_for(lambda: len(server.clients()) < QUICK.clients, "room", SECONDS)
    assert still_served(paths)
    for connection in held:
        connection.close()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_is_turned_away_even_if_the_files_let_him_in(server: ControlServer, paths: RunPaths) -> None:
    address = sockets.read(paths.socket_file)
    assert address is not None
    path = Path(address.address)

    def visit(say: Callable[[str], None]) -> None:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(str(path))
                say(f"read {len(connection.recv(100))} bytes")
            except PermissionError:
                say("shut")

    with Forked(visit) as visitor:
        assert visitor.lines(1) == ["shut"]
    modes = [(folder, folder.stat().st_mode & 0o7777) for folder in (path, *path.parents[:-1])]
    try:
        for folder, mode in modes:
            folder.chmod(mode | 0o777)
        with Forked(visit) as visitor:
            assert visitor.lines(1) == ["read 0 bytes"]
    finally:
        for folder, mode in modes:
            folder.chmod(mode)
    wait_for(lambda: server.closed() == {"foreign": 1}, "the visit to be counted", SECONDS)
    assert server.clients() == []


def test_a_flood_by_the_holder_of_control_gives_a_burst_and_no_more(server: ControlServer, paths: RunPaths) -> None:
    with greeted(paths) as connection:
        connection.sendall(b"".join(pack(commands.encode(Request(number, Pause()))) for number in range(100)))
        reader = FrameReader()
        answers: list[commands.ServerMessage] = []
        while len(answers) < 100:
            answers += [commands.decode_from_server(payload) for payload in reader.feed(connection.recv(1 << 16))]
    accepted = [answer for answer in answers if isinstance(answer, CommandAccepted)]
    refused = [answer for answer in answers if isinstance(answer, CommandRefused)]
    assert len(accepted) == Limits().burst
    assert len(refused) == 100 - Limits().burst
    assert all("too many commands" in answer.reason for answer in refused)
    assert len(server.commands.take_all()) == Limits().burst


def test_a_client_that_never_reads_its_answers_is_closed(paths: RunPaths, log: list[object]) -> None:
    slow = replace(QUICK, frame_seconds=60.0)  # a frame that is cut in two is not what it is closed for
    with ControlServer(paths, "alpha", log.append, slow) as server:
        with greeted(paths) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            frames = b"".join(pack(commands.encode(Request(number, Pause()))) for number in range(500))
            with pytest.raises(OSError):
                for _ in range(200):
                    connection.sendall(frames)
        wait_for(lambda: server.closed() == {"unread": 1}, "the client to be closed", SECONDS)
        assert still_served(paths)


def test_a_dropped_client_is_told_by_the_connection(server: ControlServer, paths: RunPaths) -> None:
    client = ControlClient("eve")
    client.connect(paths)
    client._stream.send(struct.pack(">I", 1 << 31))  # type: ignore[union-attr]
    with pytest.raises(TrainerGoneError):
        wait_for(lambda: client.poll(0.1) and False, "the end", SECONDS)
