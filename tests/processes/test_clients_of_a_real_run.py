"""A real trainer: hostile, flooding and stopped clients cost themselves and nothing else; and a run
whose folder is deleted.

Each is written once, for any length: a short one that always runs, and the matrix's own, which is slow.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
import pytest

from rltui.events import commands
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Hello, Live, Resume, Stop
from rltui.events.records import CommandLogged, IterationFinished, LogLine
from rltui.run_state.condition import condition
from rltui.run_state.reader import RunFiles, RunReader
from rltui.run_state.snapshot import RunSnapshot
from rltui.supervise import sockets
from rltui.supervise.control_client import ControlClient, connected
from rltui.supervise.sockets import SEND_BUFFER, pack
from rltui.train.control.clients import Limits
from tests.fakes.timed_trainer import read
from tests.fakes.training import Training, wait_for
from tests.measure.processes import thread_seconds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets and SIGSTOP")
SHARE = 0.01  # of the machine's processor time that hostile clients may cost
QUEUED = 100  # records that wait for their way to the disk and the socket: less than a second's
GROWTH = 5e6  # bytes that the trainer may grow by
CORES = os.cpu_count() or 1


@dataclass
class Timed:
    """A trainer whose telemetry is timed."""

    training: Training
    times: Path

    @property
    def address(self) -> str:
        found = wait_for(lambda: sockets.read(self.training.paths.socket_file), "the control socket")
        return found.address

    def control_seconds(self) -> float:
        """Processor time of its thread that talks to clients."""
        assert self.training.process is not None
        return thread_seconds(self.training.process.pid)["control socket"]

    def memory(self) -> int:
        """Resident bytes, the least over three iterations: an update's own need comes and goes."""
        assert self.training.process is not None
        process = psutil.Process(self.training.process.pid)
        least = process.memory_info().rss
        for _ in range(3):
            self.training.wait_more_iterations(1)
            least = min(least, process.memory_info().rss)
        return least

    def said(self, source: str) -> int:
        """Lines of the journal from there."""
        return sum(isinstance(record, LogLine) and record.source == source for record in self.training.poll())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Timed]:
    """One trainer for all: each leaves it as it was."""
    folder = tmp_path_factory.mktemp("clients")
    training = Training(folder, module="tests.fakes.timed_trainer")
    try:
        training.start(env={"TIMED": str(folder / "times.txt")}).wait_records(IterationFinished)
        yield Timed(training, folder / "times.txt")
    finally:
        training.kill_all()


class Canary:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._path),)


def attacks(canary: Path, frames: int) -> Iterator[bytes]:
    """Bytes that no client sends, most of them after a proper introduction; `frames` of them random."""
    chance = random.Random(11)
    hello = pack(commands.encode(Hello("eve")))
    bodies = [pickle.dumps(Canary(canary), protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    lies = [struct.pack(">I", 1 << 31) + b"x" * 1000, struct.pack(">I", 50) + b"half", b"GET / HTTP/1.1\r\n\r\n"]
    yield from (*lies, *(hello + lie for lie in lies), *bodies, *(hello + pack(body) for body in bodies))
    for _ in range(frames):
        yield hello + pack(chance.randbytes(chance.randrange(1, 200)))


def strike(address: str, attack: bytes) -> None:
    """Say it and wait until the other side hangs up."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            connection.connect(address)
            connection.sendall(attack)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass


# the trainer takes 40 connections a second: ten thousand, most of them without one, are in property/test_hostile_frames
@pytest.mark.parametrize("frames", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_hostile_clients_leave_a_run_as_it_was(run: Timed, tmp_path: Path, frames: int) -> None:
    canary, lines, before = tmp_path / "canary", run.said("control"), run.memory()
    cost, began = run.control_seconds(), time.monotonic()
    for attack in attacks(canary, frames):
        strike(run.address, attack)
    with ControlClient("friend") as friend:
        assert friend.connect(run.training.paths).run == "tiny"
    run.training.check_continues()
    seconds, cost = time.monotonic() - began, run.control_seconds() - cost
    grown, told = run.memory() - before, run.said("control") - lines
    print(
        f"{frames} frames in {seconds:.1f} s: {cost:.2f} s of processor time, {grown / 1e6:.1f} MB more, {told} lines"
    )
    assert cost <= SHARE * seconds * CORES + 0.02  # clocks tick a hundred times a second
    assert grown < GROWTH
    assert not canary.exists()
    assert 1 <= told <= 6 + seconds / 10  # a burst, then one line in ten seconds that counts the others


@pytest.mark.parametrize("seconds", [1.0, pytest.param(5.0, marks=pytest.mark.slow)])
def test_a_flood_of_commands_is_held_off_and_others_are_served(run: Timed, seconds: float) -> None:
    flood = Path(__file__).parents[1] / "fakes" / "flooding.py"
    lines, answers, began = run.said("control"), 0, time.monotonic()
    with ControlClient("friend") as friend:
        friend.connect(run.training.paths)  # holds control
        command = [sys.executable, str(flood), run.address, str(seconds)]
        poured = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: "flood" in clients_of(friend), "the flood to begin")
            while poured.poll() is None:
                wait_answer(friend)
                answers += poured.poll() is None
        finally:
            poured.kill()
            offered, taken = map(int, poured.communicate()[0].split())
    lasted = time.monotonic() - began
    run.training.check_continues()
    heard = [r for r in run.training.poll() if isinstance(r, CommandLogged) and r.by == "flood"]
    print(f"{offered:,} commands offered, {taken} taken, {len(heard)} heard; {answers} answers meanwhile")
    assert answers > 0, "while it lasts"
    assert taken < offered and taken < 1e4 * lasted, "the rest piles up on its own side"
    assert len(heard) <= Limits().burst + Limits().commands_per_second * lasted
    assert run.said("control") - lines < 20


def clients_of(client: ControlClient) -> str:
    return " ".join(name for m in client.poll(0.1) if isinstance(m, Live) for name in m.clients)


def wait_answer(client: ControlClient) -> None:
    """Send a command, and wait until it is taken or refused."""
    number = client.send(Resume())
    kinds = (CommandAccepted, CommandApplied, CommandRefused)
    wait_for(lambda: any(isinstance(m, kinds) and m.id == number for m in client.poll(0.05)), "an answer")


VIEWER = """
import sys, time
from pathlib import Path
from rltui.events import commands
from rltui.events.commands import Live
from rltui.runs.paths import DataDir
from rltui.supervise.control_client import ControlClient, connected
client = ControlClient("viewer")
client.connect(DataDir(Path(sys.argv[1])).run("tiny"))
while True:
    for message in client.poll(1.0):
        if isinstance(message, Live):
            print(time.time(), message.time, message.dropped, len(commands.encode(message)), flush=True)
"""


@dataclass(frozen=True)
class Frame:
    """A live frame that a viewer got. Unix seconds; dropped: so far."""

    got: float
    made: float
    dropped: int
    bytes: int


@pytest.fixture
def viewer(run: Timed) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", VIEWER, str(run.training.paths.data.root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def next_frame(viewer: subprocess.Popen[str]) -> Frame:
    assert viewer.stdout is not None
    got, made, dropped, size = viewer.stdout.readline().split()
    return Frame(float(got), float(made), int(dropped), int(size))


@pytest.mark.parametrize("seconds", [2.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_a_stopped_viewer_holds_up_nothing_and_catches_up(
    run: Timed, viewer: subprocess.Popen[str], seconds: float
) -> None:
    before, size = next_frame(viewer), run.memory()
    viewer.send_signal(signal.SIGSTOP)
    stopped = time.time()
    wait_for(lambda: time.time() > stopped + seconds, "the time to pass", seconds + 1)
    calls, grown = read(run.times, stopped), run.memory() - size
    went_on = time.time()
    viewer.send_signal(signal.SIGCONT)
    frames = [next_frame(viewer)]
    while frames[-1].made < went_on:
        frames.append(next_frame(viewer))
    old, dropped = [frame for frame in frames if stopped < frame.made < went_on], frames[-1].dropped - before.dropped
    made = sum(call.name == "live" for call in read(run.times, stopped) if call.time < went_on)
    run.training.check_continues()
    slowest = sorted(call.seconds for call in calls)
    print(
        f"{len(calls)} calls: median {median(slowest):.6f} s, longest {slowest[-1]:.6f} s; {made} frames made, {len(old)} "
        f"kept, {dropped} dropped, current {frames[-1].got - went_on:.3f} s after; {grown / 1e6:.1f} MB more"
    )
    assert made > 0 and slowest[-1] < seconds / 2, "a wait for who is stopped would last as long as he is"
    assert max(call.queued for call in calls) < QUEUED
    assert sum(frame.bytes for frame in old) <= 2 * SEND_BUFFER  # the kernel doubles what it is asked for
    assert grown < GROWTH
    assert abs(len(old) + dropped - made) <= 0.1 * made + 2  # one that is replaced on its way to the socket is no drop


def test_a_deleted_run_folder_is_said_and_training_goes_on(run: Timed) -> None:
    """The last test of this run."""
    training = run.training
    seen: list[RunSnapshot] = []
    reader = RunReader(RunFiles(training.paths, lambda: connected(training.paths, 1.0, readonly=True)), seen.append)
    reader.start()
    with ControlClient("ada") as client:
        client.connect(training.paths)
        wait_for(lambda: seen and seen[-1].link.connected, "the viewer to be attached")
        shutil.rmtree(training.paths.folder)
        wait_for(lambda: "the run's folder is gone" in training.output, "the trainer to say it")
        wait_for(lambda: seen[-1].gone, "the viewer to see it")
        now = seen[-1].live_time
        assert now is not None and condition(seen[-1], now).word == "FOLDER GONE"
        before = training.output.count(" entropy ")
        wait_for(lambda: training.output.count(" entropy ") >= before + 3, "three more iterations")
        reader.stop()
        reader.join(10)
        client.send(Stop())
        assert training.wait_end() == 0, training.output
    assert training.output.count("the run's folder is gone") == 1
