"""Workers that die, hang, raise, abort, print or never start, and a trainer that is killed.

One trainer that bears any number of dead workers serves most of it: each test leaves it training.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from rltui.__main__ import main
from rltui.events.records import (
    IterationFinished,
    LogLine,
    RunFinished,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
)
from rltui.runs.inventory import complete_checkpoints
from tests.fakes.training import TINY, TWO_WORKERS, Training, runs, wait_for

FAULTY = Path(__file__).parents[1] / "fakes" / "faulty_reward.py"
TIMEOUT = 2  # seconds
FEW = 10  # descriptors: the trainer has more, and none is to be had; it may still poll its workers
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process, and /dev/shm")


def faulty(profile: str, **options: str | int) -> str:
    """With a reward that fails."""
    params = "".join(f", {key} = {json.dumps(value)}" for key, value in options.items())
    return profile.replace("[policy]", f'"{FAULTY}:Faulty" = {{weight = 1.0{params}}}\n\n[policy]')


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    folder = tmp_path_factory.mktemp("faults")
    profile = faulty(TWO_WORKERS, asked=str(folder / "asked")) + f"\n[workers]\ntimeout_s = {TIMEOUT}\n"
    made = Training(folder, module="tests.fakes.enduring_trainer", profile=profile)
    try:
        made.start(env={"PYTHONPATH": str(Path(__file__).parents[2])}).wait_records(IterationFinished)
        yield made
    finally:
        made.kill_all()


def count(run: Training, kind: type) -> int:
    return sum(isinstance(record, kind) for record in run.poll())


def lines(run: Training) -> list[LogLine]:
    """About the workers."""
    return [record for record in run.poll() if isinstance(record, LogLine) and record.source == "workers"]


def trainer(run: Training) -> psutil.Process:
    assert run.process is not None
    return psutil.Process(run.process.pid)


def worker(run: Training, index: int) -> psutil.Process:
    """Once it is there; another may have been there before."""

    def found() -> psutil.Process | None:
        pid = run.worker_pid(index)
        return psutil.Process(pid) if psutil.pid_exists(pid) and runs(psutil.Process(pid)) else None

    return wait_for(found, f"worker {index}")


def shared_memory(process: psutil.Process) -> list[Path]:
    """Where the file of the shared memory that a process uses is, or was."""
    return list({Path(part.path) for part in process.memory_maps() if part.path.startswith("/dev/shm/psm_")})


def ask(run: Training, action: str) -> None:
    asked = run.folder / "asked"
    asked.with_name("new").write_text(action)
    asked.with_name("new").rename(asked)


def size(run: Training) -> int:
    """Timesteps of the newest iteration."""
    return run.iterations()[-1].timesteps - run.iterations()[-2].timesteps


def test_a_killed_worker_is_replaced_and_its_partial_data_dropped(run: Training) -> None:
    """Also by a signal without a name."""
    for number, name in ((signal.SIGKILL, "SIGKILL"), (signal.SIGRTMIN + 6, f"signal {signal.SIGRTMIN + 6}")):
        failed, started = count(run, WorkerFailed), count(run, WorkerStarted)
        os.kill(worker(run, 1).pid, number)
        failure = run.wait_records(WorkerFailed, failed + 1)[-1]
        assert (failure.worker, failure.kind) == (1, "died")
        assert name in failure.reason
        restarted = run.wait_records(WorkerStarted, started + 1)[-1]
        assert (restarted.worker, restarted.restarts) == (1, failed + 1)
        run.check_continues()
    rows = [0, *(row.timesteps for row in run.iterations())]
    sizes = {after - before for before, after in pairwise(rows)}
    assert sizes <= {256, 512}, "a whole iteration, or the surviving worker's half"


def test_a_worker_that_hangs_is_replaced_and_shows_where(run: Training) -> None:
    failed, asked = count(run, WorkerFailed), time.time()
    ask(run, "hang")
    failure = run.wait_records(WorkerFailed, failed + 1)[-1]
    assert failure.kind == "hung" and failure.time - asked >= TIMEOUT
    assert "faulty_reward.py:" in failure.reason and "in value" in failure.trace
    run.check_continues()


def _unhealthy(command: list[str], capsys: pytest.CaptureFixture[str]) -> bool:
    return main(command) == 0 and "unhealthy" in capsys.readouterr().out


def test_a_worker_that_a_signal_has_stopped_is_waited_for(run: Training, capsys: pytest.CaptureFixture[str]) -> None:
    failed, said, stopped = count(run, WorkerFailed), len(lines(run)), worker(run, 0)
    stopped.suspend()
    line = wait_for(lambda: lines(run)[said:], "what is the matter", 15.0)[0]
    assert f"worker 0 is stopped by a signal: kill -CONT {stopped.pid}" in line.message
    for command in (["ls"], ["status"]):
        wait_for(
            lambda told=[*command, "--data-dir", str(run.folder / "data")]: _unhealthy(told, capsys), " ".join(command)
        )
    stopped.resume()
    run.check_continues()
    assert count(run, WorkerFailed) == failed and runs(stopped)


@linux
@pytest.mark.slow
def test_a_worker_that_shares_its_core_with_eight_busy_processes_is_waited_for(run: Training) -> None:
    failed, starved = count(run, WorkerFailed), worker(run, 0)
    core = max(starved.cpu_affinity())
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        for pid in (starved.pid, *(one.pid for one in busy)):
            psutil.Process(pid).cpu_affinity([core])
        threading.Event().wait(10 * TIMEOUT)  # what is tested: a slowness
    finally:
        for one in busy:
            one.kill()
            one.wait()
    run.check_continues()
    assert count(run, WorkerFailed) == failed and runs(starved)


def test_a_run_that_was_stopped_as_a_whole_goes_on(run: Training) -> None:
    """Ctrl-Z and fg, or a frozen machine: for longer than a worker may be silent, and the trainer is awake first."""
    failed = count(run, WorkerFailed)
    workers = [worker(run, index) for index in (0, 1)]
    for process in (trainer(run), *workers):
        process.suspend()
    pause = threading.Event()
    pause.wait(TIMEOUT + 1)  # what is tested: a silence
    trainer(run).resume()
    pause.wait(0.2)
    for process in workers:
        process.resume()
    run.check_continues()
    assert count(run, WorkerFailed) == failed


def test_a_worker_that_raises_or_crashes_shows_where_and_training_goes_on(run: Training) -> None:
    for action, kind, words in (
        ("raise", "raised", ["ZeroDivisionError", "a bug in a user's reward"]),
        ("abort", "died", ["SIGABRT", "in arena"]),
        ("segv", "died", ["SIGSEGV", "in arena"]),
        ("bus", "died", ["SIGBUS", "no room in shared memory", "--shm-size"]),
    ):
        failed, shown = count(run, WorkerFailed), run.output.count("faulty_reward.py")
        ask(run, action)
        failure = run.wait_records(WorkerFailed, failed + 1)[-1]
        assert failure.kind == kind
        assert all(word in failure.reason for word in words)
        assert "faulty_reward.py" in failure.trace, "the whole trace travels"
        run.check_continues()
        wait_for(lambda: run.output.count("faulty_reward.py") > shown, "the trace, in the terminal too")  # noqa: B023


def test_what_a_worker_prints_is_in_the_log_capped_and_counted(run: Training) -> None:
    """Also that of one that was restarted, as those before this test were; nothing of it is in the terminal."""
    if sys.platform == "linux":
        for process in (worker(run, 0), worker(run, 1)):
            assert all(Path(f"/proc/{process.pid}/fd/{standard}").is_fifo() for standard in (1, 2))
    ask(run, "print")
    wait_for(lambda: run.paths.log.is_file() and "bytes left out" in run.paths.log.read_text(), "the count")
    run.check_continues()
    assert "printed by a worker" in run.paths.log.read_text() and "printed by a worker" not in run.output
    assert run.paths.log.stat().st_size < 500_000
    told = [record for record in run.poll() if isinstance(record, LogLine) and record.source == "output"]
    assert [line.level for line in told] == ["info", "warning"]


@linux
def test_without_room_for_a_process_training_goes_on_with_the_others(run: Training) -> None:
    failed, said = count(run, WorkerFailed), len(lines(run))
    victim, before = worker(run, 1), trainer(run).rlimit(psutil.RLIMIT_NOFILE)
    trainer(run).rlimit(psutil.RLIMIT_NOFILE, (FEW, before[1]))
    victim.kill()
    line = wait_for(lambda: lines(run)[said:], "why it is not replaced")[0].message
    assert "worker 1 cannot start: Too many open files" in line and "ulimit -n" in line
    run.check_continues()
    assert size(run) == 256, "the other worker's half"
    started = count(run, WorkerStarted)
    trainer(run).rlimit(psutil.RLIMIT_NOFILE, before)
    restarted = run.wait_records(WorkerStarted, started + 1)[-1]
    assert restarted.worker == 1
    run.check_continues()
    assert size(run) == 512
    assert count(run, WorkerFailed) == failed + 1


@linux
def test_without_any_worker_it_waits_and_what_they_share_is_their_successors_too(run: Training) -> None:
    """What they share has no file, so that nobody can take it away, as systemd does when a user logs out for the last time
    (RemoveIPC).
    """
    [file] = shared_memory(trainer(run))
    assert not file.exists()
    said, started = len(lines(run)), count(run, WorkerStarted)
    victims, before = [worker(run, index) for index in (0, 1)], trainer(run).rlimit(psutil.RLIMIT_NOFILE)
    trainer(run).rlimit(psutil.RLIMIT_NOFILE, (FEW, before[1]))
    for victim in victims:
        victim.kill()
    wait_for(lambda: any("training waits" in line.message for line in lines(run)[said:]), "the line")
    trainer(run).rlimit(psutil.RLIMIT_NOFILE, before)
    run.wait_records(WorkerStarted, started + 2)
    run.check_continues()
    assert shared_memory(trainer(run)) == [file]


def test_a_killed_trainer_takes_its_workers_along_and_the_run_goes_on_at_the_next_start(run: Training) -> None:
    workers = [worker(run, index) for index in (0, 1)]
    assert run.process is not None
    run.process.kill()
    run.process.wait()
    wait_for(lambda: not any(runs(each) for each in workers), "the workers' end", 5.0)
    reached, before = run.iterations()[-1].timesteps, len(run.output)
    run.start("--steps", str(reached + 2048))
    assert run.wait_end() == 0
    output = run.output[before:]
    assert output.count("did not end cleanly") == 1, output
    assert "leaked" not in output and "Traceback" not in output
    assert run.iterations()[-1].timesteps >= reached + 2048
    assert not [record for record in run.poll() if isinstance(record, UpdateDropped)]


def test_three_deaths_within_a_minute_stop_the_run_with_a_checkpoint(training: Training) -> None:
    (training.folder / "marks").mkdir()
    training.profile = faulty(TINY, marks=str(training.folder / "marks"), times=1000)
    training.start()
    assert training.wait_end() == 1
    assert len(training.wait_records(WorkerFailed)) == 3
    end = training.wait_records(RunFinished)[-1]
    assert end.exit_code == 1
    assert "3 workers failed" in end.reason
    assert complete_checkpoints(training.paths), "the last good state is on disk"
    wait_for(lambda: not training.left_behind(), "the end of all that it started", 5.0)


def test_meshes_that_are_missing_are_one_message_before_any_worker_starts(training: Training, tmp_path: Path) -> None:
    training.profile += f'\n[game]\nmeshes = "{tmp_path / "nowhere"}"\n'
    training.start()
    assert training.wait_end() == 1
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
    assert training.wait_end() == 1
    assert training.output.count("not in a worker") >= 1
    assert "worker 0 did not start" in training.output
    wait_for(lambda: not training.left_behind(), "the end of all that it started", 5.0)
