"""FAULTS F28, F29, F30 with a real trainer: hostile, flooding and stopped clients cost themselves and nothing else."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from rltui.events import commands
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Hello, Live, Resume, Stop
from rltui.events.records import IterationFinished, LogLine
from rltui.supervise import socket_address
from rltui.supervise.control_client import ControlClient
from rltui.supervise.frames import pack
from tests.fakes.training import Training, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets and SIGSTOP")
LONGEST = 1e-3  # seconds that telemetry may hold the trainer


def address(training: Training) -> str:
    found = wait_for(lambda: socket_address.read(training.paths.socket_file), "the control socket")
    return found.address


def going(training: Training) -> Training:
    training.wait_records(IterationFinished, 5)
    address(training)
    return training


def check_whole(training: Training) -> None:
    """Three more iterations; steps strictly increasing, no row missing or twice."""
    training.wait_more_iterations()
    rows = training.iterations()
    assert [row.iteration for row in rows] == list(range(1, len(rows) + 1))
    assert all(after.timesteps > before.timesteps for before, after in pairwise(rows))


def memory(training: Training) -> int:
    """Resident bytes, the least over three iterations: an update's own need comes and goes."""
    assert training.process is not None
    process = psutil.Process(training.process.pid)
    least = process.memory_info().rss
    for _ in range(3):
        training.wait_records(IterationFinished, len(training.iterations()) + 1)
        least = min(least, process.memory_info().rss)
    return least


class Canary:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._path),)


def attacks(canary: Path, count: int) -> list[bytes]:
    """Bytes that no client sends, most of them after a proper introduction."""
    chance = random.Random(11)
    hello = pack(commands.encode(Hello("eve")))
    bodies = [pickle.dumps(Canary(canary), protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    fixed = [
        struct.pack(">I", 1 << 31) + b"x" * 1000,
        struct.pack(">I", 50) + b"half",
        b"GET / HTTP/1.1\r\n\r\n",
        *bodies,
    ]
    fixed += [hello + pack(body) for body in bodies]
    randoms = [hello + pack(chance.randbytes(chance.randrange(1, 200))) for _ in range(count)]
    return [*fixed, *randoms]


def test_hostile_clients_leave_a_run_as_it_was(training: Training, tmp_path: Path) -> None:
    going(training.start())
    canary = tmp_path / "canary"
    before = memory(training)
    for attack in attacks(canary, 2000):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            with contextlib.suppress(OSError):
                connection.connect(address(training))
                connection.sendall(attack)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass
    check_whole(training)
    assert memory(training) - before < 5e6
    assert not canary.exists()
    said = [r for r in training.records if isinstance(r, LogLine) and r.source == "control"]
    assert 1 <= len(said) <= 20
    with ControlClient("friend") as friend:
        assert friend.connect(training.paths).run == "tiny"


@pytest.mark.parametrize("seconds", [1.0, pytest.param(5.0, marks=pytest.mark.slow)])
def test_a_flood_of_commands_is_held_off_and_others_are_served(training: Training, seconds: float) -> None:
    going(training.start())
    flood = Path(__file__).parents[1] / "fakes" / "flooding.py"
    with ControlClient("friend") as friend:
        friend.connect(training.paths)  # holds control
        command = [sys.executable, str(flood), address(training), str(seconds)]
        poured = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: "flood" in clients_of(friend), "the flood to begin")
            delays = []
            while poured.poll() is None:
                delays.append(answered(friend))
                friend.poll(0.25)
        finally:
            poured.kill()
            words, _ = poured.communicate()
    print(
        f"answers: median {sorted(delays)[len(delays) // 2]:.4f} s, longest {max(delays):.4f} s of {len(delays)}; poured {words}"
    )
    assert sorted(delays)[len(delays) // 2] < 0.1
    check_whole(training)
    logged = [r for r in training.records if isinstance(r, LogLine) and r.source == "control"]
    assert len(logged) < 20


def clients_of(client: ControlClient) -> str:
    return " ".join(name for m in client.poll(0.1) if isinstance(m, Live) for name in m.clients)


def answered(client: ControlClient) -> float:
    """Seconds until a command is taken or refused."""
    began = time.perf_counter()
    number = client.send(Resume())
    kinds = (CommandAccepted, CommandApplied, CommandRefused)
    wait_for(lambda: any(isinstance(m, kinds) and m.id == number for m in client.poll(0.05)), "an answer", 10)
    return time.perf_counter() - began


VIEWER = """
import sys, time
from pathlib import Path
from rltui.events.commands import Live
from rltui.runs.paths import DataDir
from rltui.supervise.control_client import ControlClient
client = ControlClient("viewer")
client.connect(DataDir(Path(sys.argv[1])).run("tiny"))
while True:
    for message in client.poll(1.0):
        if isinstance(message, Live):
            print(time.time() - message.time, message.dropped, flush=True)
"""


@pytest.mark.parametrize("seconds", [4.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_a_stopped_viewer_holds_up_nothing_and_catches_up(tmp_path: Path, seconds: float) -> None:
    training, times = Training(tmp_path, module="tests.fakes.timed_trainer"), tmp_path / "times.txt"
    try:
        going(training.start(env={"TIMED": str(times)}))
        command = [sys.executable, "-c", VIEWER, str(training.paths.data.root)]
        viewer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert viewer.stdout is not None
        try:
            viewer.stdout.readline()
            viewer.send_signal(signal.SIGSTOP)
            end = time.monotonic() + seconds
            wait_for(lambda: time.monotonic() > end, "the time to pass", seconds + 1)
            viewer.send_signal(signal.SIGCONT)
            began = time.monotonic()
            age, dropped, lines = 9.0, 0, 0
            while age > 1.0:
                words = viewer.stdout.readline().split()
                age, dropped, lines = float(words[0]), int(words[1]), lines + 1
            assert time.monotonic() - began < 1.0
            if seconds > 30:  # more than the kernel holds: what came later was replaced by what is newer, and counted
                dropped = wait_for(lambda: int(viewer.stdout.readline().split()[1]), "the drops to be told", 5)
                assert lines < 200
        finally:
            viewer.kill()
            viewer.communicate()
        check_whole(training)
        with ControlClient("friend") as friend:
            friend.connect(training.paths)
            friend.send(Stop())
            assert training.wait_end() == 0
    finally:
        training.kill_all()
    check_times(times)
    print(f"{lines} frames until the newest, {dropped} dropped")


def check_times(times: Path) -> None:
    """Some calls lose their core to a worker, or wait for a disk that is saving; for the viewer none of them waits."""
    calls = [line.split() for line in times.read_text().splitlines()]
    seconds = sorted(float(call[1]) for call in calls)
    waited = sorted(float(call[1]) for call in calls if int(call[2]))
    print(f"{len(calls)} calls: median {seconds[len(seconds) // 2]:.6f} s, longest {seconds[-1]:.6f} s; {waited[-9:]=}")
    assert len(calls) > 50
    assert seconds[int(len(seconds) * 0.9)] < LONGEST
    assert seconds[-1] < 0.5, "a wait for somebody who is stopped would last as long as he is"
