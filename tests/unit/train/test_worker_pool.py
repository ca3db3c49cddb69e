"""Where the system has no room for a worker: pauses that grow, words that name the limit, and an end in the end. Workers that
are stopped or starved are waited for.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import SpawnProcess
from pathlib import Path

import psutil
import pytest

from rltui.events.commands import WorkerLive
from rltui.events.records import LogLine, Record, WorkerFailed, WorkerStarted
from rltui.profile.load import load
from rltui.supervise.processes import OwnTime
from rltui.train.collect import worker_handle, worker_pool
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.collect.worker_handle import Pauses, Running, why
from rltui.train.collect.worker_pool import LocalCollector, WorkersFailing
from rltui.train.config import ResolvedConfig
from tests.fakes.patience import patience
from tests.fakes.training import TWO_WORKERS


class Clock:
    """Moved by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pauses_grow_to_a_minute_and_begin_anew_after_a_success() -> None:
    clock = Clock()
    pauses = Pauses(clock)
    assert pauses.over and pauses.since is None
    assert [pauses.failed() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pauses.since == 100.0 and not pauses.over
    clock.now = 160.0
    assert pauses.over, "it is time to try again"
    pauses.succeeded()
    assert pauses.since is None and pauses.failed() == 1


def test_the_limit_is_named(subtests: pytest.Subtests) -> None:
    cases = [
        (OSError(errno.EAGAIN, "x"), "Resource temporarily unavailable: the limit on processes is reached (ulimit -u"),
        (OSError(errno.ENOMEM, "x"), "Cannot allocate memory: the machine or container is out of memory"),
        (MemoryError(), "Cannot allocate memory"),
        (OSError(errno.EIO, "x"), "Input/output error"),
        (OSError("odd"), "odd"),
    ]
    for error, words in cases:
        with subtests.test(words=str(words)):
            assert why(error).startswith(words)


class Scarce:
    """A system that has room for a process only while `room` says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room, self.told = False, list[Record]()
        start = SpawnProcess.start

        def scarce(process: SpawnProcess) -> None:
            if not self.room:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            start(process)

        monkeypatch.setattr(SpawnProcess, "start", scarce)
        monkeypatch.setattr(worker_handle, "FIRST_PAUSE", 0.01)
        monkeypatch.setattr(worker_handle, "LONGEST_PAUSE", 0.02)

    @property
    def lines(self) -> list[str]:
        return [record.message for record in self.told if isinstance(record, LogLine)]


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> Scarce:
    return Scarce(monkeypatch)


@pytest.fixture
def pool(tmp_path: Path, scarce: Scarce) -> Iterator[LocalCollector]:
    profile = tmp_path / "tiny.toml"
    profile.write_text(TWO_WORKERS.replace("arenas = 4", "arenas = 1"))
    config = ResolvedConfig.resolve(load(profile))
    shared = SharedRollout.create(config.shape)
    made = LocalCollector(config.actor(0), shared, 30.0, scarce.told.append)
    yield made
    made.close()
    shared.close()


needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc")
def test_the_start_waits_for_room_and_leaves_nothing_of_what_failed(pool: LocalCollector, scarce: Scarce) -> None:
    before = descriptors()
    left: list[int] = []

    def poll() -> None:
        left.append(descriptors())
        scarce.room = len(scarce.lines) >= 3

    pool.start(poll)
    assert scarce.lines[0].startswith("workers 0, 1 cannot start: Resource temporarily unavailable")
    assert scarce.lines[0].endswith("until then training waits")
    assert [live.state for live in pool.live()] == ["waiting", "waiting"]
    assert sum(isinstance(record, WorkerStarted) for record in scarce.told) == 2
    assert left[0] == before, "no pipe of those that failed"


def test_it_ends_after_a_fair_time_without_a_single_worker(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.2)
    with pytest.raises(WorkersFailing, match=r"no worker could be had; workers 0, 1 cannot start: .*ulimit -u"):
        pool.start(lambda: None)
    assert [live.pid for live in pool.live()] == [None, None]


def test_the_start_goes_on_with_some_after_a_while(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "SCARCE_START", 0.01)
    scarce.room = True
    start = pool._starter.start

    def first_alone(index: int, restarts: int) -> Running:
        if index:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return start(index, restarts)

    monkeypatch.setattr(pool._starter, "start", first_alone)
    pool.start(lambda: None)
    assert [live.state for live in pool.live()] == ["waiting", "starting"]
    assert "worker 1 cannot start: Cannot allocate memory" in scarce.lines[0]
    assert scarce.lines[0].endswith("until then training goes on with the others")


def test_it_ends_where_no_worker_becomes_ready_again(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hangs as it begins, so seldom that three within a minute are never reached."""
    scarce.room = True
    pool.start(lambda: None)
    monkeypatch.setattr(worker_pool, "DEATH_WINDOW", 0.0)
    monkeypatch.setattr(worker_pool, "START_TIMEOUT", 0.01)
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.3)
    for live in pool.live():
        assert live.pid is not None
        os.kill(live.pid, signal.SIGKILL)
    ends = time.monotonic() + 30

    def poll() -> None:
        assert time.monotonic() < ends, "for ever"

    assert pool.fill(0, 0, poll) == [None, None]
    with pytest.raises(
        WorkersFailing, match=r"no worker has become ready; the newest: worker \d start: not ready after"
    ):
        pool.fill(1, 0, poll)


class Halted:
    """A worker that a signal has stopped, in the first rollout of its pool; with `seen`, it is found doing something else."""

    def __init__(self, pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch, seen: str = "") -> None:
        scarce.room = True
        pool.start(lambda: None)
        pool._timeout = 1.0
        monkeypatch.setattr(worker_pool, "TOLD_STOPPED", 1.5)  # when a worker that hangs would long be killed
        if seen:
            monkeypatch.setattr(psutil.Process, "status", lambda process: seen)
        self._pool, self._scarce, self._until = pool, scarce, time.monotonic() + patience(30)
        self.pid = pool.live()[0].pid or 0
        os.kill(self.pid, signal.SIGSTOP)

    def fill(self, words: str, act: Callable[[], None]) -> list[bool]:
        """One rollout, in which `act` is called once when a line with these words has come: which workers brought theirs."""
        acted = False

        def poll() -> None:
            nonlocal acted
            assert time.monotonic() < self._until, self._scarce.told
            if not acted and any(words in line for line in self._scarce.lines):
                acted = True
                act()

        return [done is not None for done in self._pool.fill(0, 0, poll)]


@needs_signals
def test_a_stopped_worker_is_named_and_waited_for(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted, live = Halted(pool, scarce, monkeypatch), list[WorkerLive]()

    def go_on() -> None:
        live.append(pool.live()[0])
        os.kill(halted.pid, signal.SIGCONT)

    assert halted.fill(f"worker 0 is stopped by a signal: kill -CONT {halted.pid}", go_on) == [True, True]
    assert (live[0].state, live[0].steps_per_second) == ("stopped", None)
    assert "worker 0 goes on" in scarce.lines and pool.live()[0].state == "waiting"
    assert not any(isinstance(record, WorkerFailed) for record in scarce.told)


@needs_signals
def test_a_rollout_that_waits_for_a_stopped_worker_can_be_left(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted = Halted(pool, scarce, monkeypatch)

    def leave() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        halted.fill("stopped by a signal", leave)
    pool.close(0.1)
    assert not psutil.pid_exists(halted.pid)


@needs_signals
def test_a_worker_in_a_long_step_on_a_busy_machine_is_told_as_busy(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets a third of a core, which no step needs for so long: whether it hangs is not known yet."""
    monkeypatch.setattr(OwnTime, "_on_core", lambda own: time.monotonic() / 3)
    halted, live = Halted(pool, scarce, monkeypatch, psutil.STATUS_RUNNING), list[WorkerLive]()

    def go_on() -> None:
        live.append(pool.live()[0])
        os.kill(halted.pid, signal.SIGCONT)

    assert halted.fill("worker 0 is busy in its step for", go_on) == [True, True]
    assert live[0].state == "busy" and not any("too little" in line for line in scarce.lines)
    assert 0 < (live[0].own_silence or 0) < 0.5 * (live[0].heartbeat_age or 0), "a third, since it was looked at"


@needs_signals
def test_a_starved_worker_is_waited_for_and_a_stuck_one_replaced(
    pool: LocalCollector, scarce: Scarce, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are silent for longer than the time out: the one can run and gets no core, the other sleeps."""
    halted, live = Halted(pool, scarce, monkeypatch, psutil.STATUS_RUNNING), list[WorkerLive]()

    def go_on() -> None:
        live.append(pool.live()[0])
        os.kill(halted.pid, signal.SIGCONT)

    assert halted.fill("worker 0 gets too little", go_on) == [True, True]
    assert (live[0].heartbeat_age or 0) > 1 and live[0].own_silence == 0
    assert not any(isinstance(record, WorkerFailed) for record in scarce.told)
    os.kill(halted.pid, signal.SIGSTOP)
    monkeypatch.setattr(psutil.Process, "status", lambda process: psutil.STATUS_SLEEPING)
    assert halted.fill("", lambda: None) == [False, True]
    [failure] = [record for record in scarce.told if isinstance(record, WorkerFailed)]
    assert (failure.worker, failure.kind) == (0, "hung")
