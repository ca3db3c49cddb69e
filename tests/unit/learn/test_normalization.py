"""Statistics of returns and observations against NumPy's own; a learner that normalises."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rltui.errors import RltuiError
from rltui.learn.normalization import CHUNK, ObservationStatistics, RunningStatistics
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from rltui.runs.rlgym_ppo import read as read_theirs
from tests.fakes.rlgym_ppo import as_they_standardize, rlgym_ppo, write_theirs
from tests.fakes.rollouts import ACTIONS, OBS, learner, rollout, weights

MEANS, DEVIATIONS = np.array([0, 100, -7, 5, 4096]), np.array([1, 3, 0.01, 5, 0.5])


def rows(n: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((n, len(MEANS)))
    return (MEANS + DEVIATIONS * noise).astype(np.float32)


def test_taken_in_by_parts_or_at_once_they_are_numpys(subtests: pytest.Subtests) -> None:
    for sizes in ([1, 1], [5, 0, 3], [CHUNK + 1, 7], [3 * CHUNK]):
        with subtests.test(sizes=sizes):
            parts = [rows(n, seed) for seed, n in enumerate(sizes)]
            statistics = ObservationStatistics.nothing_seen(len(MEANS))
            for part in parts:
                statistics = statistics.with_rows(part)
            whole = np.concatenate(parts).astype(np.float64)
            assert statistics.count == len(whole)
            np.testing.assert_allclose(statistics.mean, whole.mean(axis=0), rtol=1e-12)
            mean, var = statistics.mean_and_variance()
            np.testing.assert_array_equal(mean, whole.mean(axis=0).astype(np.float32))
            np.testing.assert_allclose(var, whole.var(axis=0, ddof=1), rtol=1e-6)
            assert mean.dtype == var.dtype == np.float32


def test_an_instance_never_changes() -> None:
    before = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(rows(10))
    mean, squares = before.mean.copy(), before.squares.copy()
    before.with_rows(rows(10, seed=1))
    np.testing.assert_array_equal(before.mean, mean)
    np.testing.assert_array_equal(before.squares, squares)


def test_before_two_observations_nothing_is_shifted_or_scaled() -> None:
    statistics = ObservationStatistics.nothing_seen(2)
    for _ in range(2):
        mean, var = statistics.mean_and_variance()
        np.testing.assert_array_equal([mean, var], [[0, 0], [1, 1]])
        statistics = statistics.with_rows(np.array([[3, 4]], np.float32))


def test_a_variance_stays_finite_in_float32() -> None:
    huge = np.array([[-3e38], [3e38]], np.float32)
    assert np.isfinite(ObservationStatistics.nothing_seen(1).with_rows(huge).mean_and_variance()).all()


def test_json_comes_back_exactly() -> None:
    statistics = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(rows(1000))
    data = json.loads(json.dumps(statistics.to_json()))
    assert sorted(data) == ["count", "mean", "shape", "var"] and data["shape"] == [5]
    again = ObservationStatistics.from_json(data, 5)
    np.testing.assert_array_equal([again.mean, again.squares], [statistics.mean, statistics.squares])
    assert again.count == 1000


def test_rlgym_ppo_reads_it_as_its_own() -> None:
    welford = rlgym_ppo("util.running_stats").WelfordRunningStat
    seen = rows(500)
    theirs = welford(len(MEANS))
    theirs.increment(seen, len(seen))
    statistics = ObservationStatistics.nothing_seen(len(MEANS)).with_rows(seen)
    read = welford(1)
    read.from_json(json.loads(json.dumps(statistics.to_json())))
    assert read.count == theirs.count
    np.testing.assert_allclose(read.mean, theirs.mean, rtol=1e-3, atol=1e-3)  # theirs adds up in float32
    np.testing.assert_allclose(read.std[[0, 1, 3]], theirs.std[[0, 1, 3]], rtol=1e-2)
    ours = ObservationStatistics.from_json(json.loads(json.dumps(theirs.to_json())), len(MEANS))
    np.testing.assert_array_equal(ours.mean, theirs.running_mean)


GOOD = {"mean": [0.0, 1.0], "var": [0.0, 1.0], "shape": [2], "count": 3}


def test_anything_else_is_refused(subtests: pytest.Subtests) -> None:
    for change, words in (
        ({"mean": [0.0]}, "expected mean to be a list of finite numbers, 2 in all, found 1 of them"),
        ({"var": [0.0, float("nan")]}, "expected var to be a list of finite numbers"),
        ({"var": [0.0, -1.0]}, "expected var of at least 0"),
        ({"mean": "12"}, "expected mean to be a list"),
        ({"count": -1}, "expected count of at least 0, found -1"),
        ({"count": True}, "expected count of at least 0"),
    ):
        with subtests.test(change=change, words=words):
            assert ObservationStatistics.from_json(GOOD, 2).count == 3
            with pytest.raises(ValueError, match=words):
                ObservationStatistics.from_json(GOOD | change, 2)
            with pytest.raises(ValueError, match="expected an object"):
                ObservationStatistics.from_json([], 2)


def test_one_sample_or_no_variance_divides_by_one() -> None:
    running = RunningStatistics()
    assert running.std == 1
    running.update(np.array([5], np.float32))
    assert running.std == 1
    running.update(np.array([5, 5], np.float32))
    assert (running.std, running.mean) == (1, 5)


def test_by_hand() -> None:
    running = RunningStatistics()
    running.update(np.array([[1, 2], [3, 4]], np.float32))
    running.update(np.array([], np.float32))
    assert running.mean == 2.5
    assert running.squares == pytest.approx(1.5**2 + 0.5**2 + 0.5**2 + 1.5**2)
    assert running.std == pytest.approx((5 / 3) ** 0.5)


def test_json_has_rlgym_ppos_shape_and_comes_back() -> None:
    running = RunningStatistics(1.5, 30.0, 7)
    data = json.loads(json.dumps(running.to_json()))
    assert data == {"mean": [1.5], "var": [30.0], "shape": [1], "count": 7}
    assert RunningStatistics.from_json(data) == running


def test_returns_anything_else_is_refused(subtests: pytest.Subtests) -> None:
    for data in (
        None,
        [],
        {"mean": [0.0, 1.0], "var": [0.0, 1.0], "shape": [2], "count": 3},
        {"mean": [float("nan")], "var": [1.0], "shape": [1], "count": 3},
        {"mean": ["0"], "var": [1.0], "shape": [1], "count": 3},
        {"mean": [0.0], "var": [-1.0], "shape": [1], "count": 3},
        {"mean": [0.0], "var": [1.0], "shape": [1], "count": 1.5},
        {"mean": [0.0], "var": [1.0], "shape": [1], "count": True},
        {"mean": [0.0], "var": [1.0], "shape": [1]},
    ):
        with subtests.test(data=data), pytest.raises(ValueError, match="expected"):
            RunningStatistics.from_json(data)


SIZES = (OBS, 16, 16, ACTIONS)
LEARNER_MEANS = np.array([0, 100, -7, 5, 4096, 0.25], np.float32)
LEARNER_DEVIATIONS = np.array([1, 3, 0.01, 5, 0.5, 0], np.float32)  # the last number never varies
BOOK = "BOOK_KEEPING_VARS.json"


def scaled(seed: int = 0, **changes: Any) -> Rollout:
    """A rollout whose observations' numbers have means and deviations of their own."""
    data = rollout(seed=seed, **({"workers": 3, "steps": 40} | changes))
    return replace(
        data,
        obs=data.obs * LEARNER_DEVIATIONS + LEARNER_MEANS,
        final_obs=data.final_obs * LEARNER_DEVIATIONS + LEARNER_MEANS,
    )


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
    far = ours._seen(torch.from_numpy(LEARNER_MEANS + 100 * LEARNER_DEVIATIONS)[None]).numpy()
    np.testing.assert_array_equal(far, [[5, 5, 5, 5, 5, 0]])


def test_worker_file_and_learner_agree_on_ten_thousand_observations() -> None:
    ours = normalizing()
    for seed in range(3):
        ours.update(scaled(seed))
    noise = np.random.default_rng(5).standard_normal((10_000, OBS), np.float32)
    obs = noise * 2 * LEARNER_DEVIATIONS + LEARNER_MEANS  # some beyond the clip
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


def test_weights_asked_for_in_an_update_are_those_from_before_it(subtests: pytest.Subtests) -> None:
    """As by a viewer that is started then; also where the memory is full in its middle."""
    for fault in ("", "learn.pass:oom:5"):
        with subtests.test(fault=fault), pytest.MonkeyPatch.context() as patched:
            ours, seen = normalizing(minibatch=120, batch=240), list[np.ndarray]()
            ours.update(scaled(0))
            before = ours.policy_flat()
            patched.setenv("RLTUI_FAULT", fault)
            ours.update(scaled(1), lambda ours=ours, seen=seen: seen.append(ours.policy_flat()))
            assert len(seen) > 5
            assert all(np.array_equal(before, one) for one in seen)
            assert not np.array_equal(ours.policy_flat(), before)


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
    assert "which the policy did not learn from" in notice
    for one, same in ((plain, learner(seed=3)), (normalised, normalizing(seed=3))):
        one.load(same.snapshot().files())
        assert one.notices == ()


def test_rlgym_ppos_standardised_observations_stay_as_they_were(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """All numbers by the first one's mean and deviation, however long training goes on, through our checkpoints and back."""
    obs = np.random.default_rng(1).normal(0.2, 3, (500, OBS)).astype(np.float32)
    for name, changed in (("varied", {}), ("constant", {"var": [0.0] * OBS}), ("one sample", {"count": 1})):
        with subtests.test(name):
            book = write_theirs(tmp_path / name, OBS, ACTIONS, (16, 16))
            book["obs_running_stats"] |= changed
            (tmp_path / name / BOOK).write_text(json.dumps(book))
            ours = normalizing()
            ours.load(read_theirs(tmp_path / name)[0])
            (notice,) = ours.notices
            assert "frozen" in notice
            ours.update(scaled(0))
            again = normalizing(seed=5)
            again.load(ours.snapshot().files())
            again.update(scaled(1))
            expected = np.clip(obs, -5, 5) if name == "one sample" else as_they_standardize(obs, book)
            np.testing.assert_allclose(again._state.normalizer(torch.from_numpy(obs)), expected, atol=2e-6)


def test_the_fake_standardises_as_rlgym_ppo(tmp_path: Path) -> None:
    book = write_theirs(tmp_path / "5", OBS, ACTIONS, (16, 16))
    welford = rlgym_ppo("util.running_stats").WelfordRunningStat(1)
    welford.from_json(book["obs_running_stats"])
    obs = np.random.default_rng(1).normal(0.2, 3, (500, OBS)).astype(np.float32)
    theirs = np.clip((obs - welford.mean[0]) / welford.std[0], a_min=-5, a_max=5)
    np.testing.assert_allclose(as_they_standardize(obs, book), theirs, atol=1e-6)


def test_rlgym_ppos_standardised_observations_need_a_profile_that_normalises(tmp_path: Path) -> None:
    write_theirs(tmp_path / "5", OBS, ACTIONS, (16, 16))
    ours = learner()
    before = ours.snapshot().files()
    with pytest.raises(RltuiError, match="rlgym-ppo standardised") as caught:
        ours.load(read_theirs(tmp_path / "5")[0])
    assert "--set obs.normalize=true" in caught.value.hint
    assert ours.snapshot().files() == before


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
