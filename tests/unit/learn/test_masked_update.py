"""Masks in learning: log-probabilities and entropy over the legal rows alone, as torch.distributions has them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.distributions import evaluate
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from tests.fakes.rollouts import ACTIONS, CONFIG, OBS, rollout, weights

MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0]], np.bool_)  # of 5 actions
STILL = replace(CONFIG, learning_rate=0.0, critic_learning_rate=0.0)


def learner(config: PPOConfig = CONFIG, masks: np.ndarray | None = MASKS) -> PPOLearner:
    return PPOLearner(NetSizes(OBS, ACTIONS, (16, 16), (16, 16)), config, seed=0, masks=masks)


def masked_rollout(of: PPOLearner, seed: int = 0, workers: int = 2) -> Rollout:
    """Collected by the NumPy policy with this learner's weights and classes of all kinds."""
    data = rollout(workers=workers, steps=12, agents=4, seed=seed)
    classes = np.random.default_rng(seed).integers(len(MASKS), size=(workers, 13, 4)).astype(np.uint8)
    policy, noise = DiscretePolicy((OBS, 16, 16, ACTIONS), 4, MASKS), GumbelBank(seed)
    policy.set_weights(of.policy_flat())
    for worker, step in np.ndindex(workers, 12):
        at = (worker, step)
        policy.act(data.obs[at], noise, data.actions[at], data.log_probs[at], classes[at])
    return replace(data, legality=classes)


def test_the_entropy_of_a_uniform_policy_is_ln_of_the_legal_rows(subtests: pytest.Subtests) -> None:
    for rows, legal, nats in ((90, 45, 3.8067), (221, 180, 5.1930), (90, 1, 0.0)):
        with subtests.test(rows=rows, legal=legal, nats=nats):
            mask = (torch.arange(rows) < legal).expand(2, rows)
            log_probs, entropy = evaluate(torch.zeros(2, rows), torch.tensor([0, legal - 1]), mask)
            assert entropy.tolist() == pytest.approx([nats] * 2, abs=1e-4)
            assert log_probs.tolist() == pytest.approx([-math.log(legal)] * 2, abs=1e-6)


def test_against_torchs_categorical() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = 5 * torch.randn(200, 40, generator=generator)
    legal = torch.rand(200, 40, generator=generator) < 0.4
    legal[:, 7] = True
    actions = torch.multinomial(legal.float(), 1, generator=generator).squeeze(-1)
    log_probs, entropy = evaluate(logits, actions, legal)
    for i in range(200):
        kept = torch.distributions.Categorical(logits=logits[i][legal[i]].double())
        position = int(legal[i][: actions[i]].sum())
        assert log_probs[i].item() == pytest.approx(kept.log_prob(torch.tensor(position)).item(), abs=1e-5)
        assert entropy[i].item() == pytest.approx(kept.entropy().item(), abs=1e-5)


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


def test_the_first_ratio_is_one_and_there_is_no_kl() -> None:
    """Acting in NumPy and learning in torch agree on every probability."""
    ours = learner(STILL)
    data = masked_rollout(ours)
    logits = ours._state.policy(torch.from_numpy(data.obs[:, :-1]).reshape(-1, OBS))
    assert data.legality is not None
    legal = torch.from_numpy(MASKS[data.legality[:, :-1].reshape(-1)])
    log_probs, _ = evaluate(logits, torch.from_numpy(data.actions.reshape(-1)), legal)
    ratio = (log_probs - torch.from_numpy(data.log_probs.reshape(-1))).exp()
    assert (ratio - 1).abs().max().item() <= 1e-5
    report = ours.update(data)
    assert report.dropped is None
    assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-7)
    assert report.metrics["train/clip_fraction"] == 0.0
    unmasked = learner(STILL, None).update(data)
    assert unmasked.metrics["train/approx_kl"] > 0.01  # so that the test can fail


def test_the_update_is_that_of_a_slow_twin() -> None:
    """One step of plain gradient by hand over the legal rows, with torch's Categorical, row by row."""
    config = replace(CONFIG, epochs=1, standardize_returns=False, minibatch=17, max_grad_norm=1e9)
    ours, twin = learner(config), learner(config)
    data = masked_rollout(ours)
    report = ours.update(data)
    figures, _ = twin._experience(data)
    advantages = (figures.advantages - figures.advantages.mean()) / figures.advantages.std()
    loss, entropies = torch.zeros(()), []
    for row in range(len(figures)):
        obs, action = figures.obs[figures.place[row]], int(figures.actions[row])
        assert figures.classes is not None
        legal = np.flatnonzero(MASKS[int(figures.classes[row])])
        kept = torch.distributions.Categorical(logits=twin._state.policy(obs)[torch.from_numpy(legal)])
        log_prob = kept.log_prob(torch.tensor(legal.tolist().index(action)))
        loss = loss - torch.exp(log_prob - figures.log_probs[row]) * advantages[row] - config.ent_coef * kept.entropy()
        entropies.append(kept.entropy().item())
    (loss / len(figures)).backward()
    twin._state.policy_optimizer.step()
    policies = [torch.cat([p.detach().reshape(-1) for p in one._state.policy.parameters()]) for one in (ours, twin)]
    torch.testing.assert_close(policies[0], policies[1], atol=1e-6, rtol=0)
    assert report.metrics["train/entropy"] == pytest.approx(np.mean(entropies), abs=1e-5)


def test_classes_stay_with_their_rows(subtests: pytest.Subtests) -> None:
    """However rows are shuffled, split and kept: a class that met another row's action would show as NaN or as a KL."""
    for changes in ({"minibatch": 7}, {"batch": 40}, {"buffer_iterations": 3}):
        with subtests.test(changes=changes):
            ours = learner(replace(STILL, **changes))
            for seed in range(4):
                report = ours.update(masked_rollout(ours, seed))
                assert report.dropped is None
                assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-6)


def test_a_dropped_worker_takes_its_classes_along() -> None:
    ours = learner(STILL)
    data = masked_rollout(ours, workers=3)
    assert data.legality is not None
    data.legality[1], data.actions[1] = 77, 99
    report = ours.update(replace(data, valid=np.array([True, False, True])))
    assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-6)


def test_masks_of_all_ones_change_nothing() -> None:
    """Bit for bit, after training."""
    free, masked = learner(masks=None), learner(masks=np.ones((4, ACTIONS), np.bool_))
    for seed in range(2):
        data = replace(rollout(seed=seed), legality=np.zeros((2, 13, 4), np.uint8))
        free.update(data)
        masked.update(data)
    assert torch.equal(weights(free), weights(masked))


def test_without_masks_classes_are_not_looked_at() -> None:
    one, two = learner(masks=None), learner(masks=None)
    one.update(rollout())
    two.update(replace(rollout(), legality=np.full((2, 13, 4), 200, np.uint8)))
    assert torch.equal(weights(one), weights(two))


def test_an_action_that_its_class_forbids_is_named() -> None:
    ours = learner()
    data = masked_rollout(ours)
    assert data.legality is not None
    data.legality[1, 5, 3], data.actions[1, 5, 3] = 1, 3
    before = weights(ours)
    with pytest.raises(ValueError, match="action 3 of worker 1, arena 1, car 1, step 5 is not legal in its class 1"):
        ours.update(data)
    assert torch.equal(weights(ours), before)


def test_classes_that_do_not_fit_are_refused(subtests: pytest.Subtests) -> None:
    for legality, message in (
        (None, r"rollout.legality: expected \[2, 13, 4\] where rows are masked, found None"),
        (np.zeros((2, 12, 4), np.uint8), r"expected \[2, 13, 4\] where rows are masked, found \[2, 12, 4\]"),
        (np.full((2, 13, 4), 4, np.uint8), "is not legal in its class 4"),
    ):
        with subtests.test(legality=legality, message=message), pytest.raises(ValueError, match=message):
            learner().update(replace(rollout(), legality=legality))


def test_a_choice_from_numbers_that_are_not_finite_is_left_to_the_guard() -> None:
    ours = learner()
    data = masked_rollout(ours)
    assert data.legality is not None
    data.legality[0, 2, 1], data.actions[0, 2, 1], data.log_probs[0, 2, 1] = 1, 3, np.nan
    report = ours.update(data)
    assert report.dropped == "log-probability nan of worker 0, arena 0, car 1, step 2"
