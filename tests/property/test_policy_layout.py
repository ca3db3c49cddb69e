"""The flat layout is its own inverse, for any widths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.weights import flat_size, flatten, layer_sizes
from tests.fakes.bots import unflatten

widths = st.lists(st.integers(1, 9), min_size=2, max_size=5)


@settings(max_examples=40, deadline=None)
@given(widths)
def test_flatten_and_unflatten(sizes: list[int]) -> None:
    flat = np.arange(flat_size(sizes), dtype=np.float32)
    layers = unflatten(flat, sizes)
    assert layer_sizes(layers) == sizes
    np.testing.assert_array_equal(flatten(layers), flat)
    assert flat_size(sizes) == sum(w.size + b.size for w, b in layers)
    with pytest.raises(ValueError, match="flat parameters are"):
        unflatten(flat[1:], sizes)


@settings(max_examples=40, deadline=None)
@given(widths, st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_policy_equals_plain_arithmetic(sizes: list[int], rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    flat = rng.standard_normal(flat_size(sizes), np.float32)
    obs = rng.standard_normal((rows, sizes[0]), np.float32)
    policy = DiscretePolicy(sizes, rows)
    policy.set_weights(flat)
    x = obs.astype(np.float64)
    layers = unflatten(flat, sizes)
    for w, b in layers[:-1]:
        x = np.maximum(x @ w + b, 0)
    logits = x @ layers[-1][0] + layers[-1][1]
    np.testing.assert_allclose(policy.logits(obs), logits, rtol=1e-4, atol=1e-4)
    actions, log_probs = np.empty(rows, np.int64), np.empty(rows, np.float32)
    policy.act(obs, GumbelBank(seed, size=4096), actions, log_probs)
    exact = (
        logits
        - np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1, keepdims=True))
        - logits.max(1, keepdims=True)
    )
    np.testing.assert_allclose(log_probs, exact[np.arange(rows), actions], rtol=1e-4, atol=2e-4)
    assert ((actions >= 0) & (actions < sizes[-1])).all()
