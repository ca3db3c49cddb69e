"""FAULTS F10–F14 and F37: workers that die, hang, raise, abort or never start, and a trainer that is killed."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest

from rltui.events.records import IterationFinished, RunFinished, UpdateDropped, WorkerFailed, WorkerStarted
from rltui.runs.inventory import complete_checkpoints
from tests.fakes.patience import patience
from tests.fakes.training import TINY, Training, runs, wait_for

FAULTY = Path(__file__).parents[1] / "fakes" / "faulty_reward.py"


def faulty(folder: Path, action: str, times: int) -> str:
    """The tiny profile with a reward that fails."""
    marks = folder / "marks"
    marks.mkdir()
    options = f'weight = 1.0, action = "{action}", times = {times}, marks = "{marks}"'
    return TINY.replace("[policy]", f'"{FAULTY}:Faulty" = {{{options}}}\n\n[policy]')


def assert_continues(training: Training) -> None:
    """At least 3 more iterations, steps strictly increasing, no duplicate or missing row."""
    training.wait_more_iterations(3)
    iterations = training.iterations()
    assert [record.iteration for record in iterations] == list(range(1, len(iterations) + 1))
    steps = [record.timesteps for record in iterations]
    assert all(a < b for a, b in itertools.pairwise(steps))


def test_a_killed_worker_is_replaced_and_its_partial_data_dropped(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    os.kill(training.worker_pid(1), signal.SIGKILL)
    killed = time.time()
    failure = training.wait_records(WorkerFailed)[0]
    restarted = training.wait_records(WorkerStarted, 3)[-1]
    assert (failure.worker, failure.kind) == (1, "died")
    assert "SIGKILL" in failure.reason
    assert failure.time - killed <= patience(1.0)
    assert (restarted.worker, restarted.restarts) == (1, 1)
    assert restarted.time - killed <= patience(5.0)
    assert_continues(training)
    sizes = {b.timesteps - a.timesteps for a, b in zip(training.iterations(), training.iterations()[1:], strict=False)}
    assert sizes <= {256, 512}, "a whole iteration, or the surviving worker's half"


def test_a_stopped_worker_counts_as_hung_after_the_time_out(training: Training) -> None:
    training.profile += "\n[workers]\ntimeout_s = 5\n"
    training.start()
    training.wait_records(IterationFinished)
    os.kill(training.worker_pid(0), signal.SIGSTOP)
    stopped = time.time()
    failure = training.wait_records(WorkerFailed)[0]
    assert (failure.worker, failure.kind) == (0, "hung")
    assert 4.0 <= failure.time - stopped <= patience(6.5)
    assert_continues(training)


def test_a_run_that_was_stopped_as_a_whole_goes_on(training: Training) -> None:
    """Ctrl-Z and fg, or a frozen machine: for longer than a worker may be silent, and the trainer is awake first."""
    training.profile += "\n[workers]\ntimeout_s = 4\n"
    training.start()
    training.wait_records(IterationFinished)
    assert training.process is not None
    trainer = psutil.Process(training.process.pid)
    workers = [psutil.Process(training.worker_pid(index)) for index in (0, 1)]
    for process in (trainer, *workers):
        process.suspend()
    pause = threading.Event()
    pause.wait(5.0)  # what is measured: a silence
    trainer.resume()
    pause.wait(0.2)
    for process in workers:
        process.resume()
    assert_continues(training)
    assert not [record for record in training.poll() if isinstance(record, WorkerFailed)]


@pytest.mark.parametrize(
    ("action", "kind", "words"),
    [
        ("raise", "raised", ["ZeroDivisionError", "a bug in a user's reward"]),
        ("abort", "died", ["SIGABRT", "in arena"]),
        ("segv", "died", ["SIGSEGV", "in arena"]),
    ],
)
def test_a_worker_that_raises_or_crashes_shows_where_and_training_goes_on(
    training: Training, tmp_path: Path, action: str, kind: str, words: list[str]
) -> None:
    training.profile = faulty(tmp_path, action, times=1)
    training.start()
    failure = training.wait_records(WorkerFailed)[0]
    assert failure.kind == kind
    assert all(word in failure.reason for word in words)
    assert "faulty_reward.py" in failure.trace, "the whole trace travels"
    assert_continues(training)
    wait_for(lambda: "faulty_reward.py" in training.output, "the trace, in the terminal too")


def test_three_deaths_within_a_minute_stop_the_run_with_a_checkpoint(training: Training, tmp_path: Path) -> None:
    training.profile = faulty(tmp_path, "raise", times=1000)
    training.start()
    training.wait_records(WorkerFailed)
    first = time.monotonic()
    assert training.wait_end() == 1
    assert time.monotonic() - first <= patience(10.0)
    assert len(training.wait_records(WorkerFailed)) == 3
    end = training.wait_records(RunFinished)[-1]
    assert end.exit_code == 1
    assert "3 workers failed" in end.reason
    assert complete_checkpoints(training.paths), "the last good state is on disk"
    wait_for(lambda: not training.left_behind(), "the end of all that it started", 5.0)


def test_meshes_that_are_missing_are_one_message_before_any_worker_starts(training: Training, tmp_path: Path) -> None:
    training.profile += f'\n[game]\nmeshes = "{tmp_path / "nowhere"}"\n'
    training.start()
    assert training.wait_end(10.0) == 1
    assert str(tmp_path / "nowhere") in training.output
    assert "Traceback" not in training.output
    assert not training.paths.journal.exists()
    wait_for(lambda: not training.left_behind(), "the end of all that it started", 5.0)


def test_workers_that_cannot_start_are_one_message_and_no_zombie(training: Training, tmp_path: Path) -> None:
    """The component imports in the trainer but not in a worker."""
    module = tmp_path / "only_here.py"
    module.write_text(
        "import multiprocessing\n"
        "from rltui.rewards.base import Reward\n"
        "if multiprocessing.parent_process() is not None:\n"
        "    raise ImportError('not in a worker')\n"
        "class OnlyHere(Reward):\n"
        "    category, sign = 'events', 0\n"
        "    def value(self, state):\n"
        "        return state.boost * 0\n"
    )
    training.profile = TINY.replace("[policy]", f'"{module}:OnlyHere" = 1.0\n\n[policy]')
    training.start()
    assert training.wait_end(20.0) == 1
    assert training.output.count("not in a worker") >= 1
    assert "worker 0 did not start" in training.output or "worker 1 did not start" in training.output
    wait_for(lambda: not training.left_behind(), "the end of all that it started", 5.0)


def test_a_killed_trainer_takes_its_workers_along_and_the_run_goes_on_at_the_next_start(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished, 3)
    workers = [psutil.Process(training.worker_pid(index)) for index in (0, 1)]
    assert training.process is not None
    shared = shared_memory(training.process.pid)
    assert shared and not any(path.exists() for path in shared), "it has no file that could be left"
    training.process.kill()
    training.process.wait()
    wait_for(lambda: not any(runs(worker) for worker in workers), "the workers' end", 5.0)
    reached = training.iterations()[-1].timesteps
    training.start("--steps", str(reached + 2048))
    assert training.wait_end() == 0
    assert "did not end cleanly" in training.output
    assert training.iterations()[-1].timesteps >= reached + 2048
    assert not [record for record in training.poll() if isinstance(record, UpdateDropped)]


def shared_memory(pid: int) -> set[Path]:
    """The files of the shared memory that a process uses."""
    return {Path(part.path) for part in psutil.Process(pid).memory_maps() if part.path.startswith("/dev/shm/psm_")}


def test_a_worker_killed_by_a_signal_without_a_name_is_replaced_like_any_other(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    os.kill(training.worker_pid(1), signal.SIGRTMIN + 6)
    failure = training.wait_records(WorkerFailed)[0]
    assert f"signal {signal.SIGRTMIN + 6}" in failure.reason
    assert_continues(training)
