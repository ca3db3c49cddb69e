"""The time that a process had for itself: on a core, asleep, stopped, or waiting for a core. A child is deaf to Ctrl-C at once."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from types import SimpleNamespace

import psutil
import pytest

from rltui.supervise import processes
from rltui.supervise.processes import OwnTime, start_piped
from tests.fakes.patience import patience


class Watched:
    """A process of which a test says what it does, and the clock by which it is looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
        self.now, self.used, self.state = 100.0, 7.0, psutil.STATUS_RUNNING
        monkeypatch.setattr(psutil, "Process", lambda pid: self)
        monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(processes, "sys", SimpleNamespace(platform=platform))
        self.own = OwnTime(os.getpid())

    def status(self) -> str:
        return self.state

    def cpu_times(self) -> SimpleNamespace:
        return SimpleNamespace(user=self.used, system=0.0)

    def seen(self, state: str, share: float, seconds: int = 10) -> list[float]:
        """What it had for itself and what it lacked, for so long in a state and with such a share of a core."""
        before = self.own.seconds, self.own.short
        for _ in range(10 * seconds):
            self.now, self.used, self.state = self.now + 0.1, self.used + 0.1 * share, state
            self.own.look()
        return [round(self.own.seconds - before[0], 3), round(self.own.short - before[1], 3)]


def test_only_time_of_its_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, "linux")
    assert watched.seen(psutil.STATUS_RUNNING, 1.0) == [10, 0]
    assert watched.seen(psutil.STATUS_RUNNING, 0.04) == [0.4, 9.6]
    assert watched.seen(psutil.STATUS_DISK_SLEEP, 0.0) == [0, 10]
    assert watched.seen(psutil.STATUS_SLEEPING, 0.0) == [10, 0]
    assert not watched.own.stopped
    assert watched.seen(psutil.STATUS_STOPPED, 0.0) == [0, 0] and watched.own.stopped
    watched.now += 600.0  # who looks was stopped
    assert watched.seen(psutil.STATUS_SLEEPING, 0.0, 1) == [2.0 - 0.1, 0]


def test_where_the_system_tells_no_sleep_one_without_a_core_for_a_second_sleeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch, "darwin")
    assert watched.seen(psutil.STATUS_RUNNING, 0.04) == [0.4, 9.6]
    own, short = watched.seen(psutil.STATUS_RUNNING, 0.0)
    assert (own, short) == (pytest.approx(9.0, abs=0.11), pytest.approx(1.0, abs=0.11))


def _answer(spec: None, pipe: Connection) -> None:
    pipe.send_bytes(b"alive")


@pytest.mark.skipif(sys.platform == "win32", reason="no signal for one process")
def test_a_ctrl_c_while_a_child_starts_is_for_the_parent_alone() -> None:
    """As it imports all it needs, the child would leave a trace on the terminal and count as dead."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    process, pipe = start_piped(_answer, None, "child")
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    assert pipe.poll(patience(20)) and pipe.recv_bytes() == b"alive"
    process.join()
    assert process.exitcode == 0
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
