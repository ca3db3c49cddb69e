"""`rltui train` with the hybrid table: masks in acting and learning, in the checkpoint and after a resume."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.debug.kickoff_touch import kickoff_touch_rate
from rltui.events.records import IterationFinished, WorkerFailed
from rltui.policy.saved import load_policy
from rltui.registry import Component, build
from tests.fakes.training import TINY, Training

ROWS = build("action table", Component("hybrid")).rows()


def hybrid(actions: str) -> str:
    return f"{TINY}\n[actions]\ntable = 'hybrid'\n{actions}\n"


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Training]:
    made = Training(tmp_path, profile=hybrid("sticky = 2"))
    yield made
    made.kill_all()


def test_it_learns_saves_and_goes_on(training: Training) -> None:
    training.start("--steps", "2048")
    assert training.wait_end() == 0, training.output
    iterations = training.wait_records(IterationFinished, 4)
    for finished in iterations:
        assert 0 < finished.metrics["train/entropy"] < np.log(len(ROWS))
        assert finished.metrics["train/approx_kl"] < 0.1
    saved = load_policy(training.paths.checkpoint(2048) / "policy.npz")
    assert (saved.legality, saved.table_hash) == ("mask", table_hash(ROWS))
    np.testing.assert_array_equal(saved.table, ROWS)
    options = PipelineOptions.of_saved(json.loads(saved.env)["pipeline"])
    assert options == PipelineOptions("mask", sticky=2)
    assert kickoff_touch_rate(saved, kickoffs=4, seconds=1.0).kickoffs == 4  # who plays the file plays all of it
    network, wrecks = saved.network(5), np.zeros(5, np.uint8)
    chosen = network.best(np.ones((5, network.obs_size), np.float32), wrecks)
    np.testing.assert_array_equal(chosen, np.repeat(np.flatnonzero(legal_rows(ROWS)[0]), 5))
    training.start("--steps", "3072")
    assert training.wait_end() == 0, training.output
    assert training.wait_records(IterationFinished, 6)[-1].timesteps == 3072


def test_a_table_that_changes_while_it_is_played_is_not_played_on(tmp_path: Path) -> None:
    """A worker that starts anew reads the user's file again: another table under the same net would be another game."""
    (tmp_path / "moves.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in ROWS.tolist()))
    training = Training(tmp_path, profile=f"{TINY}\n[actions]\ntable = 'moves.csv'\n")
    try:
        training.start()
        training.wait_records(IterationFinished)
        changed = ROWS[::-1].tolist()
        (tmp_path / "moves.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in changed))
        os.kill(training.worker_pid(0), signal.SIGKILL)
        failures = training.wait_records(WorkerFailed, 2)
        assert "has changed since the run began" in failures[-1].reason
    finally:
        training.kill_all()
