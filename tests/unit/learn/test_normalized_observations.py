"""A learner that normalises: the same for workers, files and itself; one version for a rollout and its update."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from rltui.errors import RltuiError
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from tests.fakes.rollouts import ACTIONS, OBS, learner, rollout, weights

SIZES = (OBS, 16, 16, ACTIONS)
MEANS = np.array([0, 100, -7, 5, 4096, 0.25], np.float32)
DEVIATIONS = np.array([1, 3, 0.01, 5, 0.5, 0], np.float32)  # the last number never varies
BOOK = "BOOK_KEEPING_VARS.json"


def scaled(seed: int = 0, **changes: Any) -> Rollout:
    """A rollout whose observations' numbers have means and deviations of their own."""
    data = rollout(seed=seed, **({"workers": 3, "steps": 40} | changes))
    return replace(data, obs=data.obs * DEVIATIONS + MEANS, final_obs=data.final_obs * DEVIATIONS + MEANS)


def normalizing(seed: int = 0, **changes: object) -> PPOLearner:
    return learner(seed=seed, normalize_observations=True, **changes)


def worker(of: PPOLearner, rows: int) -> DiscretePolicy:
    """The policy as a worker has it."""
    policy = DiscretePolicy(SIZES, rows, normalize=True)
    policy.set_weights(of.policy_flat())
    return policy


def saved(of: PPOLearner) -> SavedPolicy:
    """The policy as it comes back from its file."""
    snapshot = of.snapshot()
    mean, var = snapshot.normalizer()
    table = np.zeros((ACTIONS, 8), np.float32)
    layers = tuple(snapshot.policy_layers())
    policy = SavedPolicy(layers, table, "hash", "obs", 8, 1, normalizer_mean=mean, normalizer_var=var)
    return load_policy(save_policy(policy))


def collected(of: PPOLearner, data: Rollout) -> Rollout:
    """The rollout with actions and log-probabilities of a worker that has the learner's weights."""
    w, t, a = data.shape
    obs = data.obs[:, :-1].reshape(-1, OBS)
    actions, log_probs = np.zeros(len(obs), np.int64), np.zeros(len(obs), np.float32)
    worker(of, len(obs)).act(obs, GumbelBank(0), actions, log_probs)
    return replace(data, actions=actions.reshape(w, t, a), log_probs=log_probs.reshape(w, t, a))


def mean_of(of: PPOLearner) -> np.ndarray:
    mean, _ = of.snapshot().normalizer()
    assert mean is not None
    return mean


def test_each_number_is_centred_and_scaled_by_itself() -> None:
    """The measure of rlgym-ppo's fault: |mean| < 0.05 and deviation within 5 % of 1, for every number."""
    ours = normalizing()
    for seed in range(4):
        ours.update(scaled(seed))
    fresh = scaled(99, steps=400).obs.reshape(-1, OBS)
    seen = ours._seen(torch.from_numpy(fresh)).numpy()
    assert (np.abs(seen.mean(axis=0)) < 0.05).all()
    np.testing.assert_allclose(seen.std(axis=0)[:-1], 1, rtol=0.05)
    np.testing.assert_array_equal(seen[:, -1], 0)
    assert np.abs(seen).max() <= 5
    far = ours._seen(torch.from_numpy(MEANS + 100 * DEVIATIONS)[None]).numpy()
    np.testing.assert_array_equal(far, [[5, 5, 5, 5, 5, 0]])


def test_worker_file_and_learner_agree_on_ten_thousand_observations() -> None:
    ours = normalizing()
    for seed in range(3):
        ours.update(scaled(seed))
    noise = np.random.default_rng(5).standard_normal((10_000, OBS), np.float32)
    obs = noise * 2 * DEVIATIONS + MEANS  # some beyond the clip
    with torch.no_grad():
        expected = ours._state.policy(ours._seen(torch.from_numpy(obs))).numpy()
    from_worker = worker(ours, len(obs)).logits(obs)
    from_file = saved(ours).network(len(obs)).logits(obs)
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(from_worker, expected, atol=1e-5)
    np.testing.assert_array_equal(from_file, from_worker)


def test_one_version_serves_a_rollout_and_its_update() -> None:
    """With a learning rate of 0 the policy that learns is the one that collected, to the last digits."""
    ours = normalizing(learning_rate=0.0, critic_learning_rate=0.0)
    for seed in range(3):
        data = collected(ours, scaled(seed))
        before = ours.policy_flat()
        metrics = ours.update(data).metrics
        assert abs(metrics["train/approx_kl"]) < 1e-8
        assert metrics["train/clip_fraction"] == 0
        assert not np.array_equal(ours.policy_flat(), before)  # then the statistics take the rollout in
    seen = np.concatenate([scaled(seed).obs[:, :-1].reshape(-1, OBS) for seed in range(3)])
    np.testing.assert_allclose(mean_of(ours), seen.mean(axis=0, dtype=np.float64), rtol=1e-6)


def test_the_first_rollout_is_seen_as_it_is() -> None:
    obs = rollout().obs.reshape(-1, OBS)
    np.testing.assert_array_equal(
        worker(normalizing(), len(obs)).logits(obs), plain(normalizing(), len(obs)).logits(obs)
    )


def plain(of: PPOLearner, rows: int) -> DiscretePolicy:
    return DiscretePolicy.from_layers(of.snapshot().policy_layers(), rows)


def test_what_is_dropped_or_abandoned_leaves_no_trace() -> None:
    ours = normalizing()
    ours.update(scaled(0))
    before = ours.policy_flat(), ours.snapshot().files()
    poisoned = scaled(1)
    poisoned.obs[1, 3, 2, 4] = np.inf
    assert ours.update(poisoned).dropped

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ours.update(scaled(2), stop)
    np.testing.assert_array_equal(ours.policy_flat(), before[0])
    assert ours.snapshot().files() == before[1]


def test_a_dead_workers_observations_are_not_taken_in() -> None:
    data = scaled(0)
    data.valid[1] = False
    data.obs[1] = np.nan
    ours = normalizing()
    assert ours.update(data).dropped is None
    np.testing.assert_allclose(mean_of(ours), data.obs[[0, 2], :-1].mean(axis=(0, 1, 2), dtype=np.float64), rtol=1e-6)


def test_a_checkpoint_brings_the_statistics_back() -> None:
    straight = normalizing()
    straight.update(scaled(0))
    files = straight.snapshot().files()
    assert json.loads(files[BOOK])["obs_running_stats"]["count"] == 3 * 40 * 4
    resumed = normalizing(seed=0)
    resumed.update(scaled(7))
    resumed.load(files)
    np.testing.assert_array_equal(resumed.policy_flat(), straight.policy_flat())
    for one in (straight, resumed):
        one.update(scaled(1))
    assert torch.equal(weights(resumed), weights(straight))
    np.testing.assert_array_equal(resumed.policy_flat(), straight.policy_flat())


def test_a_checkpoint_without_statistics_starts_them_anew() -> None:
    """As rlgym-ppo's with standardize_obs = False."""
    ours = normalizing()
    ours.update(scaled(0))
    ours.load(learner(seed=3).snapshot().files())
    np.testing.assert_array_equal(ours.policy_flat(), normalizing(seed=3).policy_flat())


def test_a_policy_that_sees_other_numbers_than_it_learned_from_is_told_of() -> None:
    """rlgym-ppo's with standardize_obs = True fits a profile that does not normalise; it plays badly there."""
    plain, normalised = learner(), normalizing()
    plain.load(normalizing(seed=3).snapshot().files())
    [notice] = plain.notices
    assert "learned from normalised observations" in notice
    assert "obs.normalize = true" in notice
    normalised.load(learner(seed=3).snapshot().files())
    [notice] = normalised.notices
    assert "the checkpoint has no statistics of them" in notice
    for one, same in ((plain, learner(seed=3)), (normalised, normalizing(seed=3))):
        one.load(same.snapshot().files())
        assert one.notices == ()


def test_statistics_of_another_observation_are_refused_and_nothing_changes() -> None:
    ours = normalizing()
    ours.update(scaled(0))
    before = ours.snapshot().files()
    book = json.loads(before[BOOK])
    book["obs_running_stats"]["mean"].pop()
    with pytest.raises(RltuiError, match=r"BOOK_KEEPING.*'obs_running_stats': expected mean .* 6 in all, found 5"):
        ours.load(before | {BOOK: json.dumps(book).encode()})
    assert ours.snapshot().files() == before


def test_off_nothing_is_kept() -> None:
    ours = learner()
    ours.update(scaled(0))
    assert "obs_running_stats" not in json.loads(ours.snapshot().files()[BOOK])
    assert ours.snapshot().normalizer() == (None, None)
    assert len(ours.policy_flat()) + 2 * OBS == len(normalizing().policy_flat())
