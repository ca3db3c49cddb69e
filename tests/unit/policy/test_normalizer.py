"""Normalised observations as a policy in NumPy sees them, and the file that holds their statistics."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from rltui.policy.weights import Normalizer, normalizer_flat

MEAN, VAR = np.array([0, 100, -7, 0.1], np.float32), np.array([1, 4, 0.25, 0], np.float32)
IDENTITY = ((np.eye(4, dtype=np.float32), np.zeros(4, np.float32)),)
SAVED = SavedPolicy(IDENTITY, np.zeros((4, 8), np.float32), "hash", "obs", 8, 1)


def normalized(obs: list[list[float]]) -> np.ndarray:
    out = np.full((len(obs), 4), np.nan, np.float32)
    Normalizer(normalizer_flat(MEAN, VAR)).apply(np.array(obs, np.float32), out)
    return out


def test_by_hand() -> None:
    np.testing.assert_array_equal(normalized([[0.5, 104, -8, 0.1]]), [[0.5, 2, -2, 0]])
    np.testing.assert_array_equal(normalized([[9, -100, 0, 50]]), [[5, -5, 5, 0]])


def test_a_number_that_has_varied_only_by_rounding_is_zero(subtests: pytest.Subtests) -> None:
    for constant in (0.0, 1.0, 0.1, -4096.3, 1e6):
        with subtests.test(constant=constant):
            mean = np.array([constant], np.float32)
            rounding = np.square(np.spacing(mean, dtype=np.float32) / 2, dtype=np.float64)
            out = np.zeros((1, 1), np.float32)
            Normalizer(normalizer_flat(mean, rounding.astype(np.float32))).apply(np.nextafter(mean, np.inf)[None], out)
            assert out == 0


def test_a_small_number_that_varies_is_not_taken_for_constant() -> None:
    flat = normalizer_flat(np.array([100], np.float32), np.array([0.01**2], np.float32))
    out = np.zeros((1, 1), np.float32)
    Normalizer(flat).apply(np.array([[100.01]], np.float32), out)
    assert out[0, 0] == pytest.approx(1, abs=1e-3)


def test_a_policy_with_and_without_statistics() -> None:
    obs = np.array([[0.5, 104, -8, 0.1]], np.float32)
    file = load_policy(save_policy(replace(SAVED, normalizer_mean=MEAN, normalizer_var=VAR)))
    np.testing.assert_array_equal(file.network(1).logits(obs), [[0.5, 2, -2, 0]])
    np.testing.assert_array_equal(load_policy(save_policy(SAVED)).network(1).logits(obs), obs)


def test_a_file_has_both_statistics_or_none_and_no_negative_variance() -> None:
    whole = replace(SAVED, normalizer_mean=MEAN, normalizer_var=VAR)
    for part, missing in (("normalizer_mean", "normalizer_mean"), ("normalizer_var", "normalizer_var")):
        with pytest.raises(ValueError, match=f"key '{missing}': expected beside the other one"):
            save_policy(replace(whole, **{part: None}))
    with pytest.raises(ValueError, match=r"'normalizer_var': expected at least 0, found -0\.25"):
        save_policy(replace(whole, normalizer_var=VAR - np.float32(0.25)))


def test_a_damaged_file_is_refused() -> None:
    with pytest.raises(RltuiError, match="not a policy file"):
        load_policy(save_policy(replace(SAVED, normalizer_mean=MEAN, normalizer_var=VAR))[:-40])


def test_acting_allocates_no_arrays() -> None:
    policy = DiscretePolicy.from_layers([(np.ones((150, 8), np.float32), np.zeros(8, np.float32))], 256, None, np.zeros(300, np.float32))  # fmt: skip
    obs, noise = np.ones((256, 150), np.float32), GumbelBank(0)
    actions, log_probs = np.empty(256, np.int64), np.empty(256, np.float32)
    policy.act(obs, noise, actions, log_probs)
    tracemalloc.start()
    for _ in range(20):
        policy.act(obs, noise, actions, log_probs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < obs.nbytes / 2
