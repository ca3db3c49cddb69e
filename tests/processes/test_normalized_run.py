"""Normalised, stacked observations in real runs: workers, learner, checkpoint and resume agree on their statistics."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from rltui.debug.kickoff_touch import kickoff_touch_rate
from rltui.events.records import CheckpointSaved
from rltui.learn.checkpoint_files import BOOK_KEEPING
from rltui.policy.saved import load_policy
from rltui.profile.load import load
from rltui.runs.saver import POLICY_FILE
from rltui.train.collect.collector import SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.training import TINY, Training

PROFILE = TINY + '\n[obs]\nkind = "advanced_plus"\nstack = 2\nnormalize = true\n'
SIZE = 2 * 151


def test_workers_play_what_the_learner_learns(tmp_path: Path) -> None:
    """The stored log-probabilities are those of the learner's networks on what it sees, iteration after iteration."""
    file = tmp_path / "normalized.toml"
    file.write_text(PROFILE)
    config = ResolvedConfig.resolve(load(file))
    shared = SharedRollout.create(config.shape)
    collector, learner = SerialCollector(config.actor(0), shared), config.learner()
    try:
        collector.start(lambda: None)
        for iteration in range(3):
            shared.weights[:] = learner.policy_flat()
            collected = collector.collect(0, 512 * iteration, lambda: None).rollout
            obs = torch.from_numpy(collected.obs[:, :-1].reshape(-1, SIZE).copy())
            actions = torch.from_numpy(collected.actions.reshape(-1, 1))
            with torch.no_grad():
                expected = torch.log_softmax(learner._state.policy(learner._seen(obs)), -1).gather(-1, actions)
            np.testing.assert_allclose(collected.log_probs.reshape(-1, 1), expected, atol=1e-5)
            assert learner.update(collected).dropped is None
            del collected
    finally:
        collector.close()
        shared.close()


def test_a_run_saves_its_statistics_and_goes_on_with_them(training: Training) -> None:
    training.profile = PROFILE
    count = 0
    for steps in (1024, 1536):
        training.start("--steps", str(steps))
        assert training.wait_end() == 0, training.output
        newest = Path(training.wait_records(CheckpointSaved)[-1].path)
        book = json.loads((newest / BOOK_KEEPING).read_text())
        statistics, policy = book["obs_running_stats"], load_policy(newest / POLICY_FILE)
        assert statistics["count"] == book["cumulative_timesteps"] == steps > count
        count = statistics["count"]
        np.testing.assert_array_equal(policy.normalizer_mean, np.array(statistics["mean"], np.float32))
        np.testing.assert_allclose(policy.normalizer_var, np.array(statistics["var"]) / (count - 1), rtol=1e-6)
        assert policy.obs_signature.endswith("/stack 2/normalized")
        # evaluation builds the same observation from the file: another size would not fit the network
        assert kickoff_touch_rate(policy, kickoffs=2, seconds=0.5).touched == 0  # nobody is there within half a second
