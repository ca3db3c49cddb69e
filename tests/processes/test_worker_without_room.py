"""A worker that cannot be replaced at once, for the system has no room for a process; and what they share while it lasts."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from rltui.events.records import IterationFinished, LogLine, WorkerFailed, WorkerStarted
from tests.fakes.training import Training, wait_for

FEW = 10  # descriptors: the trainer has more, and none is to be had; it may still poll its workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process, and /dev/shm")


def lines(training: Training, source: str) -> list[LogLine]:
    return [record for record in training.poll() if isinstance(record, LogLine) and record.source == source]


def limit_open_files(process: psutil.Process, most: int) -> None:
    _, hard = process.rlimit(psutil.RLIMIT_NOFILE)
    process.rlimit(psutil.RLIMIT_NOFILE, (most, hard))


def shared_memory(process: psutil.Process) -> list[Path]:
    """Where the file of the shared memory that a process uses is, or was."""
    maps = process.memory_maps()
    return list({Path(part.path) for part in maps if part.path.startswith("/dev/shm/psm_")})


def test_training_goes_on_with_the_others_until_there_is_room_again(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    assert training.process is not None
    trainer = psutil.Process(training.process.pid)
    before = trainer.rlimit(psutil.RLIMIT_NOFILE)[0]
    limit_open_files(trainer, FEW)
    os.kill(training.worker_pid(1), signal.SIGKILL)
    said = wait_for(lambda: lines(training, "workers"), "a word on why it is not replaced")
    assert "worker 1 cannot be started: Too many open files" in said[0].message and "ulimit -n" in said[0].message
    training.check_continues()
    assert training.iterations()[-1].timesteps - training.iterations()[-2].timesteps == 256, "the other worker's half"
    limit_open_files(trainer, before)
    restarted = training.wait_records(WorkerStarted, 3)[-1]
    assert (restarted.worker, restarted.restarts) == (1, 1)
    training.check_continues()
    assert training.iterations()[-1].timesteps - training.iterations()[-2].timesteps == 512
    assert len(training.wait_records(WorkerFailed)) == 1


def test_without_any_worker_it_waits(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    assert training.process is not None
    trainer = psutil.Process(training.process.pid)
    before = trainer.rlimit(psutil.RLIMIT_NOFILE)[0]
    limit_open_files(trainer, FEW)
    for worker in (0, 1):
        os.kill(training.worker_pid(worker), signal.SIGKILL)
    wait_for(lambda: any("training waits" in line.message for line in lines(training, "workers")), "the word")
    limit_open_files(trainer, before)
    training.wait_records(WorkerStarted, 4)
    training.check_continues()


def test_what_the_workers_share_has_no_file_and_is_that_of_their_successors_too(training: Training) -> None:
    """So that nobody can take it away, as systemd does when a user logs out for the last time (RemoveIPC)."""
    training.start()
    training.wait_records(IterationFinished)
    assert training.process is not None
    [file] = shared_memory(psutil.Process(training.process.pid))
    assert not file.exists()
    for count, worker in enumerate((1, 0), start=1):
        os.kill(training.worker_pid(worker), signal.SIGKILL)
        training.wait_records(WorkerStarted, 2 + count)
    training.check_continues()
    assert lines(training, "workers") == []
    training.process.send_signal(signal.SIGINT)
    assert training.wait_end() == 0
    assert "leaked" not in training.output and "Traceback" not in training.output
