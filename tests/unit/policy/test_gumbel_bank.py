"""The noise: distributed as it should be, the same for a seed, and renewed."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.policy.mlp import GumbelBank


def test_moments_of_a_standard_gumbel() -> None:
    """Mean γ = 0.5772, variance π²/6, and P(x < 0) = 1/e; a million values, so 5 σ is about 0.006."""
    values = GumbelBank(1).next(1000, 60)
    assert values.dtype == np.float32
    assert values.mean() == pytest.approx(0.57722, abs=0.03)
    bank = np.concatenate([GumbelBank(seed).next(1000, 60).ravel() for seed in range(16)])
    assert bank.mean() == pytest.approx(0.57722, abs=0.006)
    assert bank.var() == pytest.approx(np.pi**2 / 6, abs=0.02)
    assert (bank < 0).mean() == pytest.approx(np.exp(-1), abs=0.0025)


def test_noise_is_bounded() -> None:
    """Otherwise the log-probability of an action that was sampled could overflow."""
    values = GumbelBank(2).next(1000, 60)
    assert values.min() > -5
    assert values.max() < 24


def test_same_seed_same_noise() -> None:
    first, second, other = GumbelBank((1, 2)), GumbelBank((1, 2)), GumbelBank((1, 3))
    for _ in range(50):
        draw = first.next(32, 90).copy()
        np.testing.assert_array_equal(draw, second.next(32, 90))
        assert (draw != other.next(32, 90)).mean() > 0.99


def test_two_draws_differ_and_neither_can_be_written() -> None:
    bank = GumbelBank(5)
    first = bank.next(4, 3).copy()
    view = bank.next(4, 3)
    assert (first != view).all()
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 0


def test_the_whole_bank_is_renewed_as_it_is_used() -> None:
    """After reading the bank's length 16 times, nothing of the first bank is left."""
    bank = GumbelBank(6, size=1 << 14)
    before = bank._bank.copy()
    for _ in range(16 * (1 << 14) // 1000 + 1):
        bank.next(10, 100)
    assert (before == bank._bank).mean() < 0.001


def test_a_draw_too_big_for_the_bank_makes_it_grow() -> None:
    bank = GumbelBank(7, size=4096)
    assert bank.next(128, 90).shape == (128, 90)
    assert len(bank._bank) >= 16 * 128 * 90
    assert np.isfinite(bank._bank).all()
    assert len(np.unique(bank._bank)) > 0.95 * len(bank._bank)
