"""Entropy and log-probabilities in nats."""

from __future__ import annotations

import math

import pytest
import torch

from rltui.learn.distributions import evaluate


def test_entropy_of_a_uniform_policy_is_ln_n(subtests: pytest.Subtests) -> None:
    for n, nats in ((90, 4.4998), (1789, 7.4894), (3, 1.0986)):
        with subtests.test(n=n, nats=nats):
            log_probs, entropy = evaluate(torch.zeros(2, n), torch.tensor([0, n - 1]))
            assert entropy.tolist() == pytest.approx([nats, nats], abs=1e-4)
            assert log_probs.tolist() == pytest.approx([-math.log(n)] * 2)


def test_a_certain_policy_has_no_entropy_and_finite_log_probabilities() -> None:
    log_probs, entropy = evaluate(torch.tensor([[200.0, 0.0, 0.0]]), torch.tensor([1]))
    assert entropy.item() == pytest.approx(0, abs=1e-6)
    assert log_probs.item() == pytest.approx(-200)


def test_two_actions_by_hand() -> None:
    """Odds 3 : 1 → probabilities 0.75 and 0.25."""
    log_probs, entropy = evaluate(torch.tensor([[math.log(3), 0.0]]), torch.tensor([0]))
    assert log_probs.item() == pytest.approx(math.log(0.75))
    assert entropy.item() == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
