"""Windows' way in, driven over a Unix socket: keyed on both sides, bytes only, the same server behind it."""

from __future__ import annotations

import os
import pickle
import secrets
import socket
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from pathlib import Path

import pytest

from rltui.events.commands import CommandAccepted, CommandApplied, Live, Pause
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient, TrainerGoneError
from rltui.supervise.sockets import PipeListener, PipeStream, SocketAddress
from rltui.train.control import server as controls
from rltui.train.control.server import ControlServer
from tests.fakes import run_story
from tests.fakes.training import wait_for

SECONDS = 10.0


@pytest.fixture
def address(tmp_path: Path) -> SocketAddress:
    return SocketAddress("AF_UNIX", str(tmp_path / "pipe"), os.getpid(), socket.gethostname(), secrets.token_hex(32))


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    made = DataDir(tmp_path / "data").run("alpha")
    made.folder.mkdir(parents=True)
    return made


@pytest.fixture
def server(paths: RunPaths, address: SocketAddress, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlServer]:
    monkeypatch.setattr(controls, "open_listener", lambda chosen: PipeListener(address, Listener))
    monkeypatch.setattr(sockets, "open_stream", lambda address, timeout: PipeStream(address, Client))
    with ControlServer(paths, "alpha") as running:
        yield running


def test_the_same_conversation_over_a_pipe(server: ControlServer, paths: RunPaths) -> None:
    with ControlClient("ada") as client, ControlClient("eve", readonly=True) as watcher:
        assert client.connect(paths, SECONDS).you == "ada"
        assert watcher.connect(paths, SECONDS).controller == "ada"
        client.send(Pause())
        assert wait_for(lambda: client.poll(0.1), "acceptance", SECONDS) == [CommandAccepted(1)]
        [pending] = wait_for(server.commands.take_all, "the command", SECONDS)
        pending.applied("paused")
        [applied] = wait_for(lambda: client.poll(0.1), "the answer", SECONDS)
        assert isinstance(applied, CommandApplied)
        server.show(run_story.live(1.0, state="paused", states=("collecting",) * 64))
        [state] = wait_for(lambda: watcher.poll(0.1), "the state", SECONDS)
        assert isinstance(state, Live)
        assert len(state.workers) == 64
    wait_for(lambda: server.clients() == [], "both to be gone", SECONDS)


def test_without_the_key_nobody_gets_in_and_others_are_served(
    server: ControlServer, paths: RunPaths, address: SocketAddress
) -> None:
    with pytest.raises(AuthenticationError):
        Client(address.address, address.family, b"a wrong key")
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(address.address)  # never answers its challenge
    with ControlClient("ada") as client:
        assert client.connect(paths, SECONDS).run == "alpha"
    silent.close()


def test_a_pickle_with_the_right_key_is_never_unpickled(
    server: ControlServer, address: SocketAddress, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"

    class Payload:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(canary),)

    with Client(address.address, address.family, bytes.fromhex(address.authkey)) as pipe:
        pipe.send(Payload())
        with pytest.raises((EOFError, OSError)):
            while pipe.poll(SECONDS):
                pipe.recv_bytes()
    assert not canary.exists()
    assert server.closed().total() == 1
    pickle.loads(pickle.dumps(Payload()))
    assert canary.exists()


def test_the_end_of_the_server_reaches_the_client(server: ControlServer, paths: RunPaths) -> None:
    client = ControlClient("ada")
    client.connect(paths, SECONDS)
    server.close()
    with pytest.raises(TrainerGoneError):
        wait_for(lambda: client.poll(0.1) and False, "the end", SECONDS)
    client.close()
