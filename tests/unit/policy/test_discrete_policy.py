"""The NumPy policy against torch, its sampling against its probabilities, and what it may not do."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch

from rltui.learn import networks
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from rltui.policy.weights import flatten

SIZES = (92, 256, 256, 256, 90)


def network(seed: int = 0, sharpness: float = 1.0) -> networks.FeedForward:
    """Torch's twin; sharpness scales the last layer, and with it the logits."""
    net = networks.build(SIZES[0], SIZES[1:-1], SIZES[-1], seed)
    with torch.no_grad():
        net.model[-1].weight.mul_(sharpness)
        net.model[-1].bias.mul_(sharpness)
    return net


def policy(net: networks.FeedForward, max_rows: int = 128) -> DiscretePolicy:
    return DiscretePolicy.from_layers(networks.layers(net.state_dict()), max_rows)


def observations(rows: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (rows, SIZES[0])).astype(np.float32)


def sample(of: DiscretePolicy, obs: np.ndarray, noise: GumbelBank) -> tuple[np.ndarray, np.ndarray]:
    actions, log_probs = np.empty(len(obs), np.int64), np.empty(len(obs), np.float32)
    of.act(obs, noise, actions, log_probs)
    return actions, log_probs


def test_logits_and_log_probabilities_equal_torchs(subtests: pytest.Subtests) -> None:
    for sharpness in (1.0, 20.0):
        for rows in (1, 2, 32, 127, 128):
            with subtests.test(sharpness=sharpness, rows=rows):
                net = network(sharpness=sharpness)
                ours, obs = policy(net), observations(rows)
                with torch.no_grad():
                    logits = net(torch.from_numpy(obs))
                np.testing.assert_allclose(ours.logits(obs), logits, atol=1e-5)
                actions, log_probs = sample(ours, obs, GumbelBank(0))
                expected = torch.log_softmax(logits, -1).gather(-1, torch.from_numpy(actions)[:, None])[:, 0]
                np.testing.assert_allclose(log_probs, expected, atol=1e-5)


def test_a_log_probability_of_a_near_certain_policy_is_exact() -> None:
    """p = 1 / (1 + e^-20 + e^-30): no clamp, no overflow, in either direction."""
    ours = DiscretePolicy.from_layers([(np.zeros((1, 3), np.float32), np.array([20, 0, -10], np.float32))], 1)
    actions, log_probs = sample(ours, np.zeros((1, 1), np.float32), GumbelBank(0))
    assert actions[0] == 0
    assert log_probs[0] == pytest.approx(-np.log1p(np.exp(-20.0) + np.exp(-30.0)), abs=1e-7)


def test_enormous_logits_stay_finite() -> None:
    bias = np.array([3e4, 3e4, -3e4], np.float32)
    ours = DiscretePolicy.from_layers([(np.zeros((1, 3), np.float32), bias)], 64)
    actions, log_probs = sample(ours, np.zeros((64, 1), np.float32), GumbelBank(0))
    assert set(actions.tolist()) == {0, 1}
    np.testing.assert_allclose(log_probs, -np.log(2), atol=1e-6)


def test_actions_are_as_frequent_as_their_probabilities(subtests: pytest.Subtests) -> None:
    """Chi-square over 64,000 draws of one state's 90 actions: 99.9 % of fair samplers stay below 135 (89 degrees)."""
    for seed in (0, 1):
        with subtests.test(seed=seed):
            net = network(sharpness=12.0)
            ours, noise = policy(net), GumbelBank(seed)
            obs = np.repeat(observations(1), 128, axis=0)
            counts = np.zeros(90)
            for _ in range(500):
                counts += np.bincount(sample(ours, obs, noise)[0], minlength=90)
            with torch.no_grad():
                expected = torch.softmax(net(torch.from_numpy(obs[:1])), -1)[0].double().numpy() * counts.sum()
            assert expected.max() > 4 * expected.min()  # the probabilities differ, so the test can fail
            assert ((counts - expected) ** 2 / expected).sum() < 135


def test_rows_are_independent() -> None:
    """In 32,000 pairs of neighbouring rows both take action 0 of 4 equal ones in a sixteenth of the cases (± 5 σ)."""
    ours = DiscretePolicy.from_layers([(np.zeros((1, 4), np.float32), np.zeros(4, np.float32))], 128)
    noise, obs = GumbelBank(3), np.zeros((128, 1), np.float32)
    both = 0
    for _ in range(500):
        first = sample(ours, obs, noise)[0].reshape(-1, 2) == 0
        both += int(first.all(axis=1).sum())
    expected = 500 * 64 / 16
    assert abs(both - expected) < 5 * (expected * 15 / 16) ** 0.5


def test_same_inputs_same_bits() -> None:
    net, obs = network(), observations(128)
    first, second = (sample(policy(net), obs.copy(), GumbelBank((7, 1))) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_best_is_per_row() -> None:
    """Two observations with different best actions: two answers."""
    ours = DiscretePolicy.from_layers([(np.eye(2, dtype=np.float32), np.zeros(2, np.float32))], 2)
    np.testing.assert_array_equal(ours.best(np.array([[0, 1], [1, 0]], np.float32)), [1, 0])


def test_new_weights_are_copied() -> None:
    ours, obs = policy(network(0)), observations(4)
    shared = flatten(networks.layers(network(1).state_dict()))
    ours.set_weights(shared)
    expected = policy(network(1)).logits(obs).copy()
    shared[:] = np.nan  # the trainer writes the next weights while this rollout goes on
    np.testing.assert_array_equal(ours.logits(obs), expected)


def test_acting_allocates_no_arrays() -> None:
    ours, obs, noise = policy(network()), observations(128), GumbelBank(0)
    actions, log_probs = np.empty(128, np.int64), np.empty(128, np.float32)
    ours.act(obs, noise, actions, log_probs)
    tracemalloc.start()
    for _ in range(20):
        ours.act(obs, noise, actions, log_probs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 128 * 90 * 4  # NumPy's own iterator takes 33 kB for a moment; an array of logits is 46 kB


def test_too_many_rows_or_wrong_weights_are_refused() -> None:
    ours = policy(network(), max_rows=4)
    with pytest.raises(ValueError, match="5 rows, at most 4"):
        ours.logits(observations(5))
    with pytest.raises(ValueError, match="flat parameters are"):
        ours.set_weights(np.zeros(3, np.float32))
    with pytest.raises(ValueError):
        ours.logits(np.zeros((2, 91), np.float32))


def test_a_saved_policy_acts_the_same() -> None:
    net, obs = network(), observations(64)
    saved = SavedPolicy(
        tuple(networks.layers(net.state_dict())), np.zeros((90, 8), np.float32), "hash", "default 92", 8, 1
    )
    loaded = load_policy(save_policy(saved)).network(64)
    np.testing.assert_array_equal(loaded.logits(obs), policy(net, 64).logits(obs))
