"""A run with the hybrid table and normalised, stacked observations: masks and statistics in acting and learning, in the
checkpoint and after a resume.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rltui.actions.masking import legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.events.records import CheckpointSaved, IterationFinished
from rltui.league.sources import source
from rltui.policy.saved import load_policy
from rltui.registry import Component, build
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.rlgym_ppo import BOOK_KEEPING
from rltui.view.live_match import LiveMatch, MatchOptions
from tests.fakes.training import TINY, Training

ROWS = build("action table", Component("hybrid")).rows()


PROFILE = (
    TINY
    + """
[actions]
table = "hybrid"
sticky = 2
[obs]
kind = "advanced_plus"
stack = 2
normalize = true
"""
)


def test_it_learns_saves_and_goes_on(training: Training) -> None:
    training.profile = PROFILE
    training.start("--steps", "1024")
    assert training.wait_end() == 0, training.output
    check_statistics(training, 1024)
    iterations = training.wait_records(IterationFinished, 2)
    for finished in iterations:
        assert 0 < finished.metrics["train/entropy"] < np.log(len(ROWS))
        assert finished.metrics["train/approx_kl"] < 0.1
    saved = load_policy(training.paths.checkpoint(1024) / "policy.npz")
    assert (saved.legality, saved.table_hash) == ("mask", table_hash(ROWS))
    np.testing.assert_array_equal(saved.table, ROWS)
    options = PipelineOptions.of_saved(json.loads(saved.env)["pipeline"])
    assert options == PipelineOptions("mask", sticky=2)
    played(training, 1024)
    network, wrecks = saved.network(5), np.zeros(5, np.uint8)
    chosen = network.best(np.ones((5, network.obs_size), np.float32), wrecks)
    np.testing.assert_array_equal(chosen, np.repeat(np.flatnonzero(legal_rows(ROWS)[0]), 5))
    training.start("--steps", "1536")
    assert training.wait_end() == 0, training.output
    assert training.wait_records(IterationFinished, 3)[-1].timesteps == 1536
    check_statistics(training, 1536)


def check_statistics(training: Training, steps: int) -> None:
    """Learner, checkpoint and policy file agree on what was observed in so many timesteps."""
    newest = Path(training.wait_records(CheckpointSaved)[-1].path)
    book = json.loads((newest / BOOK_KEEPING).read_text())
    statistics, policy = book["obs_running_stats"], load_policy(newest / POLICY_FILE)
    count = statistics["count"]
    assert count == book["cumulative_timesteps"] == steps
    np.testing.assert_array_equal(policy.normalizer_mean, np.array(statistics["mean"], np.float32))
    np.testing.assert_allclose(policy.normalizer_var, np.array(statistics["var"]) / (count - 1), rtol=1e-6)
    assert policy.obs_signature.endswith("/stack 2/normalized")
    played(training, steps)


def played(training: Training, timesteps: int) -> None:
    """A match builds the same observation from the file: another size would not fit the network."""
    bot = source(str(training.paths.checkpoint(timesteps)), training.paths.data)
    last = list(LiveMatch(bot, bot, MatchOptions(seconds=1.0), print).moments())[-1]
    assert last.tick == 120 and any(car.controls != (0.0,) * 8 for car in last.cars)
