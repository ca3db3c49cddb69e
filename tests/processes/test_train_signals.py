"""FAULTS F18: Ctrl-C once, twice, thrice; SIGTERM; SIGHUP. And that nothing is left behind."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from rltui.events.records import CheckpointSaved, IterationFinished, RunFinished, RunStarted, end_words
from rltui.run_state.log_entries import entry_of
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints
from tests.fakes.patience import patience
from tests.fakes.training import Training, runs, wait_for

LARGE = "iteration = 65536\nbatch = 65536\nminibatch = 2048\nepochs = 8"
SMALL = "iteration = 512\nbatch = 512\nminibatch = 256"


def send(training: Training, number: int) -> None:
    assert training.process is not None
    os.kill(training.process.pid, number)


def press(training: Training, answer: str) -> None:
    """Ctrl-C, and wait until the trainer says that it has seen it."""
    send(training, signal.SIGINT)
    wait_for(lambda: answer in training.output, answer)


def assert_nothing_left(training: Training, children: list[psutil.Process]) -> None:
    wait_for(lambda: not any(runs(child) for child in children), "the children's end", 5.0)
    names = {path.name for path in (training.folder / "data" / "checkpoints" / ".saving").glob("**/*")}
    assert names == set() or names == {training.run}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_finishes_the_iteration_saves_and_exits_0(training: Training, number: int) -> None:
    training.start()
    training.wait_records(IterationFinished, 2)
    children = training.children()
    send(training, number)
    assert training.wait_end() == 0
    end = training.wait_records(RunFinished)[-1]
    assert end.exit_code == 0
    assert end.timesteps == training.iterations()[-1].timesteps
    told = [entry.message for entry in map(entry_of, training.poll()) if entry is not None and entry.level != "debug"]
    assert told[-1] == end_words(end) and f"stopped at {end.timesteps:,} timesteps: " in training.output
    assert sum("stop" in message for message in told) <= 2, "what will happen, and what has"
    newest = complete_checkpoints(training.paths)[-1]
    assert newest.timesteps == end.timesteps
    verify(newest.path)
    assert_nothing_left(training, children)


def test_twice_saves_at_once_and_drops_the_unfinished_iteration(training: Training) -> None:
    training.profile = training.profile.replace(SMALL, LARGE)
    training.start()
    training.wait_records(CheckpointSaved)  # the one before the first iteration: collecting has begun
    children = training.children()
    press(training, "the iteration is finished and saved")
    send(training, signal.SIGINT)
    asked = time.monotonic()
    assert training.wait_end() == 0
    assert time.monotonic() - asked <= patience(2.0)
    assert training.wait_records(RunFinished)[-1].timesteps == 0
    assert complete_checkpoints(training.paths)[-1].timesteps == 0
    assert_nothing_left(training, children)


def test_thrice_abandons_within_half_a_second(training: Training) -> None:
    training.profile = training.profile.replace(SMALL, LARGE)
    training.start()
    training.wait_records(CheckpointSaved)
    children = training.children()
    press(training, "the iteration is finished and saved")
    send(training, signal.SIGINT)
    wait_for(lambda: "Ctrl-C, 2 times" in training.output or training.process.poll() is not None, "the second one")
    send(training, signal.SIGINT)
    asked = time.monotonic()
    training.wait_end()
    assert time.monotonic() - asked <= patience(0.5)
    assert_nothing_left(training, children)
    verify(complete_checkpoints(training.paths)[-1].path)


@pytest.mark.parametrize("moment", [0, 2, 4, *(pytest.param(moment, marks=pytest.mark.slow) for moment in (1, 3, 5))])
def test_ctrl_c_at_any_moment_leaves_a_run_that_goes_on(training: Training, moment: int) -> None:
    """During imports, the start of the workers, the first save, an iteration: never a traceback, never a broken run."""
    training.start("--steps", "100000")
    if moment:
        training_begun = {1: RunStarted, 2: CheckpointSaved}.get(moment, IterationFinished)
        wait_for(training.paths.journal.exists, "the journal")
        training.wait_records(training_begun, max(1, moment - 2))
    else:
        wait_for(
            lambda: "goes on" in training.output or "new run" in training.output or training.output, "the first line"
        )
    send(training, signal.SIGINT)
    assert training.wait_end() in (0, 1)
    assert "Traceback" not in training.output
    training.start("--steps", "1024")
    assert training.wait_end() == 0


def test_a_hangup_does_not_end_training(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    send(training, signal.SIGHUP)
    training.wait_more_iterations(3)
    send(training, signal.SIGTERM)
    assert training.wait_end() == 0
