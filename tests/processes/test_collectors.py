"""Local and serial collectors bring the same rollouts, bit for bit; different seeds bring different ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from rltui.actions.masking import legal_rows
from rltui.learn.ppo import PPOLearner
from rltui.profile.load import load
from rltui.registry import Component, build
from rltui.train.collect.collector import Collected, Collector, SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.collect.worker_pool import LocalCollector
from rltui.train.config import ResolvedConfig
from tests.fakes.training import TINY


@contextmanager
def collector(tmp_path: Path, kind: str, seed: int = 0, more: str = "") -> Iterator[tuple[Collector, PPOLearner]]:
    profile_path = tmp_path / "tiny.toml"
    profile_path.write_text(TINY + more)
    config = ResolvedConfig.resolve(load(profile_path, [f"run.seed={seed}"]))
    shared = SharedRollout.create(config.shape)
    actor = config.actor(timesteps=0)
    made: Collector = (
        SerialCollector(actor, shared) if kind == "serial" else LocalCollector(actor, shared, 30.0, lambda record: None)
    )
    made.start(lambda: None)
    try:
        yield made, config.learner()
    finally:
        made.close()
        shared.close()


def copied(collected: Collected) -> dict[str, np.ndarray]:
    return {name: np.array(value) for name, value in vars(collected.rollout).items()}


def rollouts(tmp_path: Path, kind: str, seed: int = 0, count: int = 3, more: str = "") -> list[dict[str, np.ndarray]]:
    with collector(tmp_path, kind, seed, more) as (made, learner):
        made.shared.weights[:] = learner.policy_flat()
        return [copied(made.collect(0, 0, lambda: None)) for _ in range(count)]


def test_serial_and_local_are_bit_identical_and_seeds_differ(tmp_path: Path) -> None:
    serial, local, other = rollouts(tmp_path, "serial"), rollouts(tmp_path, "local"), rollouts(tmp_path, "serial", 1)
    for one, two in zip(serial, local, strict=True):
        assert one.keys() == two.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    assert not np.array_equal(serial[0]["actions"], other[0]["actions"])
    assert not np.array_equal(serial[0]["actions"], serial[1]["actions"])


def test_a_rollout_is_one_unbroken_line_per_agent(tmp_path: Path) -> None:
    """The last observation of one rollout is the first of the next; log-probabilities are those of the policy."""
    with collector(tmp_path, "serial") as (made, learner):
        made.shared.weights[:] = learner.policy_flat()
        first = copied(made.collect(0, 0, lambda: None))
        second = copied(made.collect(0, 0, lambda: None))
    np.testing.assert_array_equal(first["obs"][:, -1], second["obs"][:, 0])
    assert np.isfinite(first["obs"]).all()
    assert (first["log_probs"] < 0).all()
    ended = first["terminated"] | first["truncated"]
    assert ended.sum() == 0 or len(first["final_index"]) == first["truncated"].sum()


def test_truncated_steps_carry_their_own_final_observation(tmp_path: Path) -> None:
    """Episodes of 4 s end within 60 steps; the stored end is not the next episode's beginning."""
    found = [r for r in rollouts(tmp_path, "serial", count=4) if len(r["final_index"])]
    assert found, "some episode was cut"
    for rollout in found:
        w, steps, agents = rollout["actions"].shape
        where = np.unravel_index(rollout["final_index"], (w, steps, agents))
        assert rollout["truncated"][where].all()
        following = rollout["obs"][where[0], where[1] + 1, where[2]]
        assert not np.allclose(rollout["final_obs"], following)


MASKED = "[actions]\ntable = 'hybrid'\nsticky = 2\n"


def test_serial_and_local_are_bit_identical_with_masks_and_sticky_buttons(tmp_path: Path) -> None:
    serial, local = (rollouts(tmp_path, kind, more=MASKED) for kind in ("serial", "local"))
    for one, two in zip(serial, local, strict=True):
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    masks = legal_rows(build("action table", Component("hybrid")).rows())
    legality = np.concatenate([rollout["legality"][:, :-1] for rollout in serial])
    actions = np.concatenate([rollout["actions"] for rollout in serial])
    assert len(np.unique(legality)) >= 3  # cars are in the air, on the ground, with and without boost
    assert masks[legality, actions].all()


def test_a_masked_rollout_is_the_learners_own(tmp_path: Path) -> None:
    """Nothing learned: probabilities of the workers and of torch agree, row by row."""
    more = MASKED + "[ppo]\nlearning_rate = 0.0\niteration = 512\n"
    text = TINY.replace("[ppo]\niteration = 512\nbatch = 512\nminibatch = 256\n", "") + more
    path = tmp_path / "still.toml"
    path.write_text(text)
    config = ResolvedConfig.resolve(load(path))
    shared, learner = SharedRollout.create(config.shape), config.learner()
    made = SerialCollector(config.actor(timesteps=0), shared)
    made.start(lambda: None)
    try:
        for _ in range(3):
            shared.weights[:] = learner.policy_flat()
            report = learner.update(made.collect(0, 0, lambda: None).rollout)
            assert report.dropped is None
            assert abs(report.metrics["train/approx_kl"]) < 1e-6
            assert report.metrics["train/entropy"] < np.log(221)
    finally:
        made.close()
        shared.close()


NORMALIZED = '\n[obs]\nkind = "advanced_plus"\nstack = 2\nnormalize = true\n'
SIZE = 2 * 151


def test_workers_play_what_the_learner_learns(tmp_path: Path) -> None:
    """The stored log-probabilities are those of the learner's networks on what it sees, iteration after iteration."""
    file = tmp_path / "normalized.toml"
    file.write_text(TINY + NORMALIZED)
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
