"""The control socket with real sockets: introductions, control, answers, live state, the end."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.events.commands import (
    CommandAccepted,
    CommandApplied,
    CommandRefused,
    Live,
    Pause,
    SaveCheckpoint,
    ServerMessage,
    Stop,
    Welcome,
)
from rltui.events.records import CommandLogged
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient, TrainerAbsentError, TrainerGoneError, TrainerSilentError
from rltui.supervise.processes import is_stopped
from rltui.supervise.sockets import SocketAddress
from rltui.train.control.commands import PendingCommand
from rltui.train.control.server import ControlServer
from tests.fakes import run_story
from tests.fakes.training import wait_for

T = TypeVar("T", bound=ServerMessage)
SECONDS = 10.0


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunPaths:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    made = DataDir(tmp_path / "data").run("alpha")
    made.folder.mkdir(parents=True)
    return made


@pytest.fixture
def log() -> list[object]:
    return []


@pytest.fixture
def server(paths: RunPaths, log: list[object]) -> Iterator[ControlServer]:
    with ControlServer(paths, "alpha", log.append) as running:
        yield running


@pytest.fixture
def connect(paths: RunPaths) -> Iterator[Callable[..., ControlClient]]:
    """Connected clients by name, closed at the end."""
    made: list[ControlClient] = []

    def build(name: str, *, readonly: bool = False, one_shot: bool = False) -> ControlClient:
        client = ControlClient(name, readonly=readonly, one_shot=one_shot)
        client.connect(paths)
        made.append(client)
        return client

    yield build
    for client in made:
        client.close()


def hear(client: ControlClient, kind: type[T], where: Callable[[T], bool] = lambda message: True) -> T:
    """The next message of that kind; others are skipped."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        for message in client.poll(0.1):
            if isinstance(message, kind) and where(message):
                return message
    raise AssertionError(f"no {kind.__name__} within {SECONDS:.0f} s")


def next_command(server: ControlServer) -> PendingCommand:
    [pending] = wait_for(server.commands.take_all, "a command", SECONDS)
    return pending


def commands_of(server: ControlServer, count: int) -> list[PendingCommand]:
    taken: list[PendingCommand] = []

    def enough() -> bool:
        taken.extend(server.commands.take_all())
        return len(taken) >= count

    wait_for(enough, f"{count} commands", SECONDS)
    return taken


def test_the_first_client_controls_and_all_know_it(
    server: ControlServer, connect: Callable[..., ControlClient]
) -> None:
    watcher, first, second = connect("watcher", readonly=True), connect("first"), connect("second")
    assert (watcher.controls, first.controls, second.controls) == (False, True, False)
    assert second.welcome == Welcome("alpha", os.getpid(), 1, "first", you="second")
    assert server.clients() == ["watcher", "first", "second"]
    first.close()
    assert hear(second, Welcome).controller == "second"
    assert second.controls
    assert hear(watcher, Welcome, lambda welcome: welcome.controller == "second")


def test_a_command_is_accepted_by_the_socket_and_applied_by_the_loop(
    server: ControlServer, connect: Callable[..., ControlClient], log: list[object]
) -> None:
    client = connect("ada")
    number = client.send(Pause())
    assert hear(client, CommandAccepted) == CommandAccepted(number)  # nobody has polled yet
    pending = next_command(server)
    assert (pending.id, pending.command, pending.by, pending.name) == (number, Pause(), "ada", "pause")
    pending.applied("paused")
    pending.refused("a second answer is ignored")
    applied = hear(client, CommandApplied)
    assert (applied.id, applied.detail) == (number, "paused")
    assert 0.0 < applied.seconds < SECONDS
    number = client.send(SaveCheckpoint())
    next_command(server).refused("the disk is full")
    assert hear(client, CommandRefused) == CommandRefused(number, "the disk is full")
    outcomes = [
        (record.command, record.by, type(record.outcome).__name__)
        for record in log
        if isinstance(record, CommandLogged)
    ]
    assert outcomes == [
        ("pause", "ada", "CommandAccepted"),
        ("pause", "ada", "CommandApplied"),
        ("checkpoint", "ada", "CommandAccepted"),
        ("checkpoint", "ada", "CommandRefused"),
    ]


def test_commands_keep_their_order_and_answers_find_their_client(
    server: ControlServer, connect: Callable[..., ControlClient]
) -> None:
    holder, stopper = connect("holder"), connect("stopper", one_shot=True)
    ids = [holder.send(command) for command in (Pause(), SaveCheckpoint(), Pause())]
    other = stopper.send(Stop())
    assert ids[0] == other  # ids are each client's own
    pending = commands_of(server, 4)
    assert [one.command for one in pending if one.by == "holder"] == [Pause(), SaveCheckpoint(), Pause()]
    next(one for one in pending if one.by == "stopper").applied("stopped")
    assert hear(stopper, CommandApplied).detail == "stopped"
    assert not any(isinstance(message, CommandApplied) for message in holder.poll(0.05))


def test_a_second_controller_is_refused_and_told_who_holds_control(
    server: ControlServer, connect: Callable[..., ControlClient], log: list[object]
) -> None:
    connect("first")
    second, watcher, stopper = connect("second"), connect("watcher", readonly=True), connect("stopper", one_shot=True)
    second.send(Pause())
    assert "first holds control" in hear(second, CommandRefused).reason
    watcher.send(Pause())
    assert "read-only" in hear(watcher, CommandRefused).reason
    stopper.send(Pause())
    assert "first holds control" in hear(stopper, CommandRefused).reason
    stopper.send(Stop("now"))
    assert hear(stopper, CommandAccepted)
    assert next_command(server).command == Stop("now")
    assert [record.by for record in log if isinstance(record, CommandLogged)] == [
        "second",
        "watcher",
        "stopper",
        "stopper",
    ]


def test_names_are_told_apart_and_safe_to_print(server: ControlServer, connect: Callable[..., ControlClient]) -> None:
    connect("ada\x1b[2J\n")
    connect("ada?[2J?")
    connect("x" * 500)
    connect("")
    names = server.clients()
    assert names[:2] == ["ada?[2J?", "ada?[2J? (2)"]
    assert names[2] == "x" * 80
    assert f"pid {os.getpid()}" in names[3]


def test_live_state_is_the_newest_with_everybody_s_name(
    server: ControlServer, connect: Callable[..., ControlClient]
) -> None:
    first = connect("first")
    server.show(run_story.live(time.time(), state="collecting"))
    assert hear(first, Live).clients == ["first"]
    server.show(run_story.live(time.time(), state="learning"))
    second = connect("second")
    assert hear(second, Live).state == "learning"  # at once, without waiting for the next
    server.show(run_story.live(time.time(), state="paused"))
    state = hear(first, Live, lambda message: message.state == "paused")
    assert (state.clients, state.dropped) == (["first", "second"], 0)
    assert len(state.workers) == 2


def test_the_socket_and_its_folder_are_private_and_one_trainers_alone(server: ControlServer, paths: RunPaths) -> None:
    address = sockets.read(paths.socket_file)
    assert address is not None
    path = Path(address.address)
    assert stat.S_ISSOCK(path.stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(paths.socket_file.stat().st_mode) == 0o600
    assert (address.pid, address.family) == (os.getpid(), "AF_UNIX")

    with pytest.raises(RltuiError, match="another trainer listens"):
        ControlServer(paths, "alpha").start()
    with ControlClient("ada") as client:
        assert client.connect(paths).run == "alpha"


def test_the_end_answers_or_refuses_what_is_open_delivers_it_and_leaves_nothing(
    paths: RunPaths, connect: Callable[..., ControlClient]
) -> None:
    server = ControlServer(paths, "alpha").start()
    socket_path = Path(sockets.read(paths.socket_file).address)  # type: ignore[union-attr]
    client = connect("ada")
    numbers = [client.send(Pause()), client.send(Stop())]
    pending = commands_of(server, 2)
    pending[1].applied("stopped at 4,096 timesteps")
    server.close()
    assert hear(client, CommandApplied).id == numbers[1]
    with pytest.raises(TrainerGoneError):
        wait_for(lambda: client.poll(0.1) and False, "the end", SECONDS)
    assert not socket_path.exists()
    assert not paths.socket_file.exists()
    server.close()  # twice is once

    with ControlServer(paths, "alpha") as server:
        client = connect("ada")
        number = client.send(Pause())
        assert hear(client, CommandAccepted)
    assert hear(client, CommandRefused) == CommandRefused(number, "the trainer is ending")
    assert server.commands.take_all()[0].command == Pause()


def test_a_socket_left_by_a_killed_trainer_is_replaced(paths: RunPaths) -> None:
    script = (
        "import os,sys; from pathlib import Path; from rltui.runs.paths import DataDir;"
        "from rltui.train.control.server import ControlServer;"
        "ControlServer(DataDir(Path(sys.argv[1])).run('alpha'), 'alpha').start(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(paths.data.root)], check=False)
    address = sockets.read(paths.socket_file)
    assert address is not None
    assert Path(address.address).exists()
    with pytest.raises(TrainerAbsentError, match=rf"\(pid {address.pid}\) died"):
        ControlClient().connect(paths)
    with ControlServer(paths, "alpha"), ControlClient("ada") as client:
        assert client.connect(paths).pid == os.getpid()


def test_no_trainer_a_starting_one_a_stopped_one_and_one_elsewhere_are_told_apart(
    paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TrainerAbsentError, match="no trainer is running for run alpha"):
        ControlClient().connect(paths)
    with RunLock(paths), pytest.raises(TrainerSilentError, match="starting or ending"):
        ControlClient().connect(paths)
    sockets.write(paths.socket_file, SocketAddress("AF_UNIX", "/nowhere/a.sock", 7, "another-host"))
    with pytest.raises(TrainerAbsentError, match="another-host"):
        ControlClient().connect(paths)

    import socket

    address = sockets.choose(paths.folder)
    with socket.socket(socket.AF_UNIX) as listening:  # accepts into its backlog and never speaks
        listening.bind(address.address)
        listening.listen()
        sockets.write(paths.socket_file, address)
        with pytest.raises(TrainerSilentError, match="does not answer"):
            ControlClient().connect(paths, timeout=0.3)
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stopped:
            stopped.send_signal(signal.SIGSTOP)
            sockets.write(paths.socket_file, msgspec.structs.replace(address, pid=stopped.pid))
            wait_for(lambda: is_stopped(stopped.pid), "the stop")
            with pytest.raises(TrainerSilentError) as silent:
                ControlClient().connect(paths, timeout=0.3)
            assert silent.value.hint == f"stopped by a signal: kill -CONT {stopped.pid}"
            stopped.kill()
