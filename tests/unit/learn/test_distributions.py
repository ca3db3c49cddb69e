"""Distributions of actions: torch and NumPy beside each other, torch's own Categorical as the outside judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.distributions import TorchCategorical, distribution, gumbel
from rltui.policy.distributions import ILLEGAL, Categorical
from rltui.policy.mlp import GumbelBank

N = 40
MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0]], np.bool_)  # of 5 actions


def evaluate(
    logits: torch.Tensor, actions: torch.Tensor, legal: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    made = distribution(ActionSpec(logits.shape[-1]))(logits, legal)
    return made.log_prob(actions), made.entropy()


def masks_of(rng: np.random.Generator, count: int) -> np.ndarray:
    """bool [count, N], from all rows to a single one."""
    masks = rng.random((count, N)) < np.linspace(1.1, 0, count)[:, None]
    masks[:, 7] = True
    return masks


def test_numpy_and_torch_against_torchs_own(subtests: pytest.Subtests) -> None:
    """The same noise draws the same actions; probabilities and entropy are those over the legal rows alone."""
    rng, bank = np.random.default_rng(0), GumbelBank(0)
    for sharpness in (0.1, 1.0, 8.0):
        for masked in (False, True):
            with subtests.test(sharpness=sharpness, masked=masked):
                masks, classes = masks_of(rng, 9), rng.integers(9, size=200).astype(np.uint8)
                legal = masks[classes] if masked else np.ones((200, N), np.bool_)
                raw, noise = (sharpness * rng.standard_normal((200, N))).astype(np.float32), bank.next(200, N).copy()
                ours = Categorical(logits := raw.copy())
                if masked:
                    ours.mask(np.where(masks, np.float32(0), ILLEGAL), classes)
                theirs = TorchCategorical(torch.from_numpy(raw), torch.from_numpy(legal) if masked else None)
                actions = ours.sample(noise)
                assert legal[np.arange(200), actions].all()
                np.testing.assert_array_equal(theirs.sample(torch.from_numpy(noise)), actions)
                judge = torch.distributions.Categorical(
                    probs=torch.softmax(torch.from_numpy(np.where(legal, raw, -np.inf)).double(), -1)
                )
                of_actions = judge.log_prob(torch.from_numpy(actions))
                for one in (ours.log_prob(actions), theirs.log_prob(torch.from_numpy(actions))):
                    np.testing.assert_allclose(one, of_actions, atol=2e-5)
                for one in (ours.entropy(), theirs.entropy()):
                    np.testing.assert_allclose(one, judge.entropy(), atol=2e-5)
                best = np.where(legal, raw, -np.inf).argmax(axis=1)
                np.testing.assert_array_equal(ours.best(), best)
                assert np.isfinite(logits).all()


def test_torchs_noise_draws_as_often_as_is_probable() -> None:
    """Chi-square over 64,000 draws of 39 legal actions: 99.9 % of fair samplers stay below 71 (38 degrees)."""
    generator = torch.Generator().manual_seed(0)
    logits, legal = torch.linspace(-1, 1, N).expand(64_000, N), torch.arange(N) != 5
    made = TorchCategorical(logits, legal.expand(64_000, N))
    counts = torch.bincount(made.sample(gumbel(logits, generator)), minlength=N)
    expected = 64_000 * torch.softmax(logits[0][legal].double(), -1)
    assert counts[5] == 0
    assert ((counts[legal] - expected) ** 2 / expected).sum().item() < 71


def test_the_entropy_of_a_uniform_policy_is_ln_of_the_legal_rows(subtests: pytest.Subtests) -> None:
    for rows, legal, nats in ((90, 45, 3.8067), (221, 180, 5.1930), (90, 1, 0.0)):
        with subtests.test(rows=rows, legal=legal, nats=nats):
            mask = (torch.arange(rows) < legal).expand(2, rows)
            log_probs, entropy = evaluate(torch.zeros(2, rows), torch.tensor([0, legal - 1]), mask)
            assert entropy.tolist() == pytest.approx([nats] * 2, abs=1e-4)
            assert log_probs.tolist() == pytest.approx([-math.log(legal)] * 2, abs=1e-6)


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


def test_gradients_are_finite_and_none_reaches_an_illegal_row() -> None:
    """Against numerical differentiation in float64; also where a single row is legal, and for enormous logits."""
    legal = torch.from_numpy(MASKS)
    actions = torch.tensor([3, 2, 1, 2])
    logits = torch.randn(4, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: torch.cat(evaluate(x, actions, legal)), logits)
    huge = (1e4 * torch.randn(4, 5, generator=torch.Generator().manual_seed(2))).requires_grad_()
    torch.cat(evaluate(huge, actions, legal)).sum().backward()
    assert huge.grad is not None and torch.isfinite(huge.grad).all()
    assert not huge.grad[~legal].any()
