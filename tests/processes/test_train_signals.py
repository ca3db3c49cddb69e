"""Ctrl-C once, twice, thrice; SIGTERM; SIGHUP. And that nothing is left behind."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from rltui.events.records import CheckpointSaved, IterationFinished, RunFinished, RunStarted, end_words
from rltui.run_state.log_entries import entry_of
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints
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


def check_end_of_once(training: Training, number: int) -> None:
    """Its one signal finishes the iteration, saves and exits 0."""
    children = training.children()
    send(training, number)
    assert training.wait_end() == 0
    end = training.wait_records(RunFinished)[-1]
    assert end.exit_code == 0
    assert end.timesteps == training.iterations()[-1].timesteps
    newest_start = max(i for i, record in enumerate(training.poll()) if isinstance(record, RunStarted))
    entries = map(entry_of, training.poll()[newest_start:])
    messages = [entry.message for entry in entries if entry is not None and entry.level != "debug"]
    assert messages[-1] == end_words(end) and f"stopped at {end.timesteps:,} timesteps: " in training.output
    assert sum("stop" in message for message in messages) <= 2, "what will happen, and what has"
    newest = complete_checkpoints(training.paths)[-1]
    assert newest.timesteps == end.timesteps
    verify(newest.path)
    assert_nothing_left(training, children)


def test_a_hangup_does_not_end_training_and_sigterm_does(training: Training) -> None:
    training.start()
    training.wait_records(IterationFinished)
    send(training, signal.SIGHUP)
    training.wait_more_iterations(3)
    check_end_of_once(training, signal.SIGTERM)


def test_twice_saves_at_once_and_drops_the_unfinished_iteration(training: Training) -> None:
    training.profile = training.profile.replace(SMALL, LARGE)
    training.start()
    training.wait_records(CheckpointSaved)  # the one before the first iteration: collecting has begun
    children = training.children()
    press(training, "finishing the iteration")
    send(training, signal.SIGINT)
    assert training.wait_end() == 0
    assert training.wait_records(RunFinished)[-1].timesteps == 0, "long before the iteration could end"
    assert complete_checkpoints(training.paths)[-1].timesteps == 0
    assert_nothing_left(training, children)


def test_thrice_abandons_at_once(training: Training) -> None:
    training.profile = training.profile.replace(SMALL, LARGE)
    training.start()
    training.wait_records(CheckpointSaved)
    children = training.children()
    press(training, "finishing the iteration")
    send(training, signal.SIGINT)
    wait_for(lambda: "Ctrl-C, 2 times" in training.output or training.process.poll() is not None, "the second one")
    send(training, signal.SIGINT)
    training.wait_end()
    assert not training.iterations(), "long before the iteration could end"
    assert_nothing_left(training, children)
    verify(complete_checkpoints(training.paths)[-1].path)


@pytest.mark.parametrize("moments", [(0, 2), pytest.param((1, 3, 4, 5), marks=pytest.mark.slow)])
def test_ctrl_c_at_any_moment_leaves_a_run_that_goes_on(training: Training, moments: tuple[int, ...]) -> None:
    """During imports, the start of the workers, the first save, an iteration: never a traceback, never a broken run. The
    start after it is ended by one Ctrl-C within an iteration.
    """
    for moment in moments:
        before, printed = training.poll() if training.paths.journal.exists() else [], _printed(training)
        kind = {1: RunStarted, 2: CheckpointSaved}.get(moment, IterationFinished)
        seen = sum(isinstance(record, kind) for record in before)
        training.start("--steps", "100000")
        if moment:
            wait_for(training.paths.journal.exists, "the journal")
            training.wait_records(kind, seen + max(1, moment - 2))
        else:
            wait_for(lambda printed=printed: _printed(training) > printed, "the first line")
        send(training, signal.SIGINT)
        assert training.wait_end() in (0, 1)
        assert "Traceback" not in training.output
    training.start("--steps", "100000")
    wait_for(training.paths.journal.exists, "the journal")
    training.wait_records(IterationFinished, len(training.iterations()) + 2)
    check_end_of_once(training, signal.SIGINT)


def _printed(training: Training) -> int:
    return len(training.output) if (training.folder / "output.txt").exists() else 0
