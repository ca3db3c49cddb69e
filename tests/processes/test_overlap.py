"""collect.overlap: each update is of what the policy before it has collected; nothing is counted twice or lost at a resume."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rltui.learn.rollout import Rollout
from rltui.policy.saved import load_policy
from rltui.policy.weights import flatten
from rltui.profile.load import load
from rltui.train.collect.collector import SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.training import Training

SETTINGS = ["collect.collector=serial", "collect.overlap=true"]
ITERATION = 512


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
        before, ahead = ahead, collected(iteration * ITERATION)
        learner.update(before)
    collector.close()
    shared.close()
    return learner.policy_flat()
