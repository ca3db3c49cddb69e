"""collect.overlap: each update is of what the policy before it has collected; nothing is counted twice or lost at a resume."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from rltui.events.commands import Pause, SaveCheckpoint
from rltui.events.records import IterationFinished, UpdateDropped
from rltui.learn.rollout import Rollout
from rltui.policy.saved import load_policy
from rltui.policy.weights import flatten
from rltui.profile.load import load
from rltui.runs.rlgym_ppo import BOOK_KEEPING
from rltui.train.collect.collector import SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.asking import applied
from tests.fakes.training import TWO_WORKERS, Training

ITERATION = 512
SCHEDULE = f"rewards.speed_toward_ball=[[0, 0.0], [{3 * ITERATION}, 3.0]]"
SETTINGS = ["collect.collector=serial", "collect.overlap=true", SCHEDULE]


def test_a_run_with_overlap_is_the_loop_written_out(training: Training) -> None:
    sets = [part for setting in SETTINGS for part in ("--set", setting)]
    training.start("--steps", str(3 * ITERATION), *sets)
    assert training.wait_end() == 0, training.output
    rows = training.iterations()
    assert [row.timesteps for row in rows] == [ITERATION, 2 * ITERATION, 3 * ITERATION]
    assert {row.metrics["train/policy_lag"] for row in rows} == {1.0}
    saved = training.paths.checkpoint(3 * ITERATION) / "policy.npz"
    np.testing.assert_array_equal(flatten(load_policy(saved).layers), _by_hand(training))
    training.start("--steps", str(4 * ITERATION), *sets)
    assert training.wait_end() == 0, training.output
    assert training.iterations()[-1].timesteps == 4 * ITERATION


def test_a_save_in_a_pause_has_learned_from_what_is_counted(training: Training) -> None:
    sets = [part for setting in [*SETTINGS, "save_every=1_000_000", "ppo.epochs=1"] for part in ("--set", setting)]
    training.start(*sets)
    training.wait_records(IterationFinished)
    applied(training, Pause())
    applied(training, SaveCheckpoint())
    timesteps = training.iterations()[-1].timesteps
    book = json.loads((training.paths.checkpoint(timesteps) / BOOK_KEEPING).read_text())
    assert book["cumulative_model_updates"] == timesteps / ITERATION  # each of one batch


def test_central_with_overlap_counts_what_its_workers_have_gone(training: Training) -> None:
    """Whose iterations end together, each worker having gone as far as it got: exactly what they wanted, so that the run ends at
    its limit.
    """
    training.profile = TWO_WORKERS
    settings = ["collect.inference=central", "collect.overlap=true"]
    training.start("--steps", str(3 * ITERATION), *(part for setting in settings for part in ("--set", setting)))
    assert training.wait_end() == 0, training.output
    sizes = np.diff([0, *(row.timesteps for row in training.iterations())])
    assert sizes.tolist() == [ITERATION] * 3
    assert not [record for record in training.records if isinstance(record, UpdateDropped)]


def _by_hand(training: Training) -> np.ndarray:
    config = ResolvedConfig.resolve(load(training.folder / "tiny.toml", SETTINGS))
    shared, learner = SharedRollout.create(config.shape), config.learner()
    collector = SerialCollector(config.actor(0), shared)
    collector.start(lambda: None)

    def collected(timesteps: int) -> Rollout:
        collector.set_policy(learner)
        found = collector.collect(0, timesteps, lambda: None).rollout
        return replace(found, **{name: value.copy() for name, value in vars(found).items() if hasattr(value, "copy")})

    ahead = collected(0)
    for iteration in range(3):
        before, ahead = ahead, collected((iteration + 1) * ITERATION)
        learner.update(before)
    collector.close()
    shared.close()
    return learner.policy_flat()
