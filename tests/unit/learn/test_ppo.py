"""The PPO update: batches, minibatches and epochs, masks, reports."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.distributions import TorchCategorical
from rltui.learn.normalization import RunningStatistics
from rltui.learn.ppo import PPOLearner, _advantage_scale
from rltui.learn.rollout import Rollout
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from tests.fakes.rollouts import ACTIONS, CONFIG, OBS, learner, on_policy, rollout, weights

STILL = replace(CONFIG, learning_rate=0.0, critic_learning_rate=0.0)


def slow_update(twin: PPOLearner, data: Rollout, config: PPOConfig) -> tuple[torch.Tensor, dict[str, float]]:
    """One epoch in one batch, row by row, with torch's own Categorical; rewards as they are. Weights after it."""
    policy, critic = twin._state.policy, twin._state.critic
    rows = []
    finals = dict(zip(data.final_index.tolist(), data.final_obs, strict=True))
    w_count, t_count, a_count = data.shape
    for w in range(w_count):
        for a in range(a_count):
            advantage = 0.0
            for t in reversed(range(t_count)):
                flat = (w * t_count + t) * a_count + a
                cut = bool(data.truncated[w, t, a]) and not data.terminated[w, t, a]
                after = finals[flat] if cut else data.obs[w, t + 1, a]
                bootstrap = 0.0 if data.terminated[w, t, a] else critic(torch.from_numpy(after)).item()
                value = critic(torch.from_numpy(data.obs[w, t, a])).item()
                ended = data.terminated[w, t, a] or data.truncated[w, t, a]
                delta = float(data.rewards[w, t, a]) + config.gamma * bootstrap - value
                advantage = delta + (0.0 if ended else config.gamma * config.gae_lambda * advantage)
                rows.append((w, t, a, advantage, advantage + value))
    advantages = torch.tensor([row[3] for row in rows], dtype=torch.float64)
    normal = (advantages - advantages.mean()) / advantages.std()
    policy_loss, critic_loss, kl = torch.zeros(()), torch.zeros(()), 0.0
    for (w, t, a, _, target), advantage in zip(rows, normal.float(), strict=True):
        obs = torch.from_numpy(data.obs[w, t, a])
        distribution = torch.distributions.Categorical(logits=policy(obs))
        ratio = torch.exp(distribution.log_prob(torch.tensor(data.actions[w, t, a])) - float(data.log_probs[w, t, a]))
        low, high = 1 - config.clip_range, 1 + config.clip_range
        policy_loss = policy_loss - torch.minimum(ratio * advantage, ratio.clamp(low, high) * advantage)
        policy_loss = policy_loss - config.ent_coef * distribution.entropy()
        critic_loss = critic_loss + (critic(obs)[0] - target) ** 2
        kl += (ratio - 1 - ratio.log()).item()
    (policy_loss / len(rows)).backward()
    (critic_loss / len(rows)).backward()
    for network, optimizer in ((policy, twin._state.policy_optimizer), (critic, twin._state.critic_optimizer)):
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in network.parameters()))
        for parameter in network.parameters():
            parameter.grad *= min(1.0, config.max_grad_norm / norm)
        optimizer.step()
    return weights(twin), {"train/approx_kl": kl / len(rows), "train/value_loss": critic_loss.item() / len(rows)}


def test_an_update_equals_the_slow_twin() -> None:
    config = replace(CONFIG, epochs=1, standardize_returns=False, minibatch=17)
    data = rollout()
    ours, twin = learner(config), learner(config)
    report = ours.update(data)
    expected, figures = slow_update(twin, data, config)
    torch.testing.assert_close(weights(ours), expected, atol=1e-6, rtol=0)
    for key, value in figures.items():
        assert report.metrics[key] == pytest.approx(value, rel=1e-4)


def test_minibatches_change_nothing_but_the_order_of_sums(subtests: pytest.Subtests) -> None:
    for minibatch in (20, 95, 7, 1):
        with subtests.test(minibatch=minibatch):
            one, split = learner(), learner(minibatch=minibatch)
            whole, parts = one.update(rollout()), split.update(rollout())
            torch.testing.assert_close(weights(split), weights(one), atol=1e-5, rtol=0)
            for key, value in whole.metrics.items():
                assert parts.metrics[key] == pytest.approx(value, rel=1e-3, abs=1e-6), key


def test_a_batch_is_one_optimiser_step_and_the_last_partial_one_is_used() -> None:
    report = learner(batch=40).update(rollout())  # 96 rows: 40 + 40 + 16
    assert (report.steps, report.rows, report.notes) == (3 * 2, 96, ())
    assert report.metrics["train/updates"] == 6


def test_a_batch_larger_than_the_data_is_one_step_on_all_of_it_and_says_so() -> None:
    large, exact = learner(batch=100_000), learner(batch=96)
    report = large.update(rollout())
    assert report.steps == 2
    assert report.notes == ("ppo.batch 100,000 exceeds the timesteps there are: one step on all of them",)
    assert exact.update(rollout()).notes == ()
    assert torch.equal(weights(large), weights(exact))


def test_one_row_in_all_is_safe() -> None:
    """Standard deviation of one row is undefined: its advantage counts as 0."""
    ours = learner()
    report = ours.update(rollout(workers=1, steps=1, agents=1))
    assert (report.dropped, report.rows) == (None, 1)
    assert torch.isfinite(weights(ours)).all()


def test_same_seed_same_weights() -> None:
    first, again, other = learner(batch=20, seed=3), learner(batch=20, seed=3), learner(batch=20, seed=4)
    for update in range(3):
        for one in (first, again, other):
            one.update(rollout(seed=update))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(other))


def test_global_random_state_is_left_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    learner().update(rollout())
    assert torch.equal(torch.rand(3), expected)


def test_the_rollout_is_not_changed() -> None:
    data, copy = rollout(), rollout()
    learner(batch=20).update(data)
    for name in ("obs", "actions", "log_probs", "rewards", "terminated", "truncated", "final_obs", "final_index"):
        np.testing.assert_array_equal(getattr(data, name), getattr(copy, name))


def shifted(log_ratios: list[float]) -> tuple[PPOLearner, Rollout]:
    """A learner that does not move, and a rollout whose log-ratios under it are these."""
    ours = learner(STILL, minibatch=2)
    data = on_policy(ours, rollout(workers=1, steps=len(log_ratios), agents=1))
    return ours, replace(data, log_probs=data.log_probs - np.array(log_ratios, np.float32)[None, :, None])


def test_kl_estimate_is_weighted_by_rows(subtests: pytest.Subtests) -> None:
    for log_ratios, kl in (
        ([0.1], 0.005171),
        ([-0.1], 0.004837),
        ([0.1, 0.1, -0.1], (2 * 0.005171 + 0.004837) / 3),
        ([0.0, 0.0], 0.0),
    ):
        with subtests.test(log_ratios=log_ratios, kl=kl):
            ours, data = shifted(log_ratios)
            assert ours.update(data).metrics["train/approx_kl"] == pytest.approx(kl, abs=2e-6)


def test_clip_fraction_by_hand() -> None:
    ours, data = shifted([math.log(ratio) for ratio in (0.75, 0.85, 1.0, 1.25)])
    assert ours.update(data).metrics["train/clip_fraction"] == 0.5


def test_old_data_in_the_buffer_shows_as_kl() -> None:
    """On fresh data the ratio starts at 1; after an update the older iteration's KL has grown."""
    ours = learner(epochs=1, buffer_iterations=2, learning_rate=0.01)
    fresh = ours.update(on_policy(ours, rollout(seed=1)))
    assert fresh.metrics["train/approx_kl"] == pytest.approx(0, abs=1e-6)
    stale = ours.update(on_policy(ours, rollout(seed=2)))
    assert stale.metrics["train/approx_kl"] > 1e-4
    assert (fresh.rows, stale.rows) == (96, 192)


def test_the_buffer_is_first_in_first_out_and_keeps_copies() -> None:
    ours, twin = learner(buffer_iterations=2), learner(buffer_iterations=2)
    for seed in range(4):
        data = rollout(seed=seed)
        rows = ours.update(data).rows
        data.obs[:] = np.nan  # the workers write the next rollout into the same memory
        data.rewards[:] = np.nan
        twin.update(rollout(seed=seed))
        assert rows == min(2, seed + 1) * 96
    assert torch.equal(weights(ours), weights(twin))


def test_advantages_are_normalised_per_batch() -> None:
    advantages = torch.tensor([1.0, 2.0, 3.0])
    mean, scale = _advantage_scale(advantages)
    assert ((advantages - mean) * scale).tolist() == pytest.approx([-1, 0, 1])
    mean, scale = _advantage_scale(torch.full((4,), 7.0))
    assert ((torch.full((4,), 7.0) - mean) * scale).tolist() == [0, 0, 0, 0]


def test_every_return_counts_for_the_scale() -> None:
    """Worker 0 earns nothing, all others 1 a step: the scale is that of all returns, not of the first worker's."""
    ours = learner(STILL, gamma=0.0)
    data = replace(rollout(workers=3), rewards=np.repeat([0, 1, 1], 12 * 4).reshape(3, 12, 4).astype(np.float32))
    ours.update(data)
    n = 3 * 48
    assert ours._state.return_statistics.std == pytest.approx(math.sqrt(n * (2 / 9) / (n - 1)), rel=1e-6)


def test_a_large_reward_is_cut_and_the_share_is_reported() -> None:
    """Standard deviation 0.5, reward 20: scaled 40, used 10."""
    ours = learner(STILL)
    ours._state.return_statistics = RunningStatistics(0.0, 0.25 * (10**12 - 1), 10**12)
    data = replace(rollout(), rewards=np.full((2, 12, 4), 0.5, np.float32))
    data.rewards[0, 0, 0] = 20
    used, share = ours._scaled_rewards(data)
    assert used[0, 0, 0] == 10
    assert used[0, 0, 1] == pytest.approx(1.0, rel=1e-4)
    assert share == pytest.approx(1 / 96)
    metrics = ours.update(data).metrics
    assert metrics["train/reward_clipped"] == pytest.approx(100 / 96)
    assert metrics["train/return_std"] == pytest.approx(0.5, rel=1e-4)


def test_explained_variance_by_another_way() -> None:
    """With γ = 0 the target is the reward."""
    ours = learner(STILL, gamma=0.0, standardize_returns=False)
    data = rollout()
    with torch.no_grad():
        values = ours._state.critic(torch.from_numpy(data.obs[:, :-1]))[..., 0].numpy()
    expected = 1 - (data.rewards - values).var() / data.rewards.var()
    assert ours.update(data).metrics["train/explained_variance"] == pytest.approx(expected, rel=1e-4)
    assert "train/explained_variance" not in ours.update(replace(data, rewards=np.ones_like(data.rewards))).metrics


def test_norms_and_rates_are_reported() -> None:
    ours = learner(epochs=1, max_grad_norm=1e-3)
    before = weights(ours)
    metrics = ours.update(rollout()).metrics
    n = ours.parameters[0]
    change = weights(ours) - before
    assert metrics["train/policy_update"] == pytest.approx(change[:n].norm().item(), rel=1e-4)
    assert metrics["train/critic_update"] == pytest.approx(change[n:].norm().item(), rel=1e-4)
    assert metrics["train/learning_rate"] == CONFIG.learning_rate
    assert metrics["train/policy_grad_norm"] > 1e-3  # as it was before clipping
    clipped = [p.grad for p in ours._state.policy.parameters()]
    assert torch.cat([g.reshape(-1) for g in clipped]).norm().item() == pytest.approx(1e-3, rel=1e-3)


def test_metric_keys_are_in_the_one_table() -> None:
    from rltui.events.metrics import BY_KEY

    told_by_the_trainer = {"train/ent_coef", "train/policy_lag"}
    known = {key for key in BY_KEY if key.startswith("train/")}
    assert set(learner().update(rollout()).metrics) == known - told_by_the_trainer


def test_a_dead_workers_data_is_left_out() -> None:
    full = rollout(workers=3)
    alive = [0, 2]
    worker, rest = np.divmod(full.final_index, 48)
    kept = worker != 1
    without = Rollout(
        *(getattr(full, name)[alive] for name in ("obs", "actions", "log_probs", "rewards", "terminated", "truncated")),
        full.final_obs[kept],
        np.where(worker == 2, 1, worker)[kept] * 48 + rest[kept],
        np.ones(2, bool),
    )
    for array in (full.obs, full.rewards, full.log_probs):
        array[1] = np.nan
    full.actions[1] = -1
    full.final_obs[~kept] = np.nan
    full.valid[1] = False
    ours, twin = learner(), learner()
    assert ours.update(full).rows == twin.update(without).rows == 96
    assert torch.equal(weights(ours), weights(twin))


def test_no_worker_left_means_no_update() -> None:
    data = rollout()
    data.valid[:] = False
    ours = learner()
    before = weights(ours)
    report = ours.update(data)
    assert (report.metrics, report.steps, report.dropped) == ({}, 0, None)
    assert report.notes == ("no worker's data was usable: no update",)
    assert torch.equal(weights(ours), before)


def test_what_does_not_fit_is_named() -> None:
    ours, data = learner(), rollout()
    with pytest.raises(ValueError, match=r"rollout.obs: expected \[2, 13, 4, 6\], found \[2, 13, 4, 5\]"):
        ours.update(replace(data, obs=data.obs[..., :5]))
    with pytest.raises(ValueError, match=r"rollout.actions: expected \[2, 12, 4\], found \[2, 12, 4, 1\]"):
        ours.update(replace(data, actions=data.actions[..., None]))
    bad = data.actions.copy()
    bad[1, 3, 2] = 5
    with pytest.raises(ValueError, match="action 5 of worker 1, arena 1, car 0, step 3 is not in 0 … 4"):
        ours.update(replace(data, actions=bad))
    with pytest.raises(ValueError, match="no final observation for the truncated worker"):
        ours.update(replace(data, final_index=data.final_index[1:], final_obs=data.final_obs[1:]))
    with pytest.raises(ValueError, match=r"rollout\.final_index is not within 0 … 95"):
        ours.update(replace(data, final_index=data.final_index + 96))
    with pytest.raises(ValueError, match="epochs must be at least 1"):
        PPOConfig(epochs=0)


def test_progress_grows_with_the_rows_learned_from() -> None:
    seen: list[float] = []
    ours = learner(batch=40, epochs=2)
    ours.update(rollout(), lambda: seen.append(ours.progress))  # 96 rows: 40 + 40 + 16, twice
    assert seen == pytest.approx([0, 40 / 192, 80 / 192, 96 / 192, 136 / 192, 176 / 192])
    assert ours.progress == pytest.approx(1.0)
    ours.update(rollout(), lambda: seen.append(ours.progress))
    assert seen[6] == 0


MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0]], np.bool_)  # of 5 actions


def masked_learner(config: PPOConfig = CONFIG, masks: np.ndarray | None = MASKS) -> PPOLearner:
    return PPOLearner(NetSizes(OBS, ActionSpec(ACTIONS, masks), (16, 16), (16, 16)), config, seed=0)


def masked_rollout(of: PPOLearner, seed: int = 0, workers: int = 2) -> Rollout:
    """Collected by the NumPy policy with this learner's weights and classes of all kinds."""
    data = rollout(workers=workers, steps=12, agents=4, seed=seed)
    classes = np.random.default_rng(seed).integers(len(MASKS), size=(workers, 13, 4)).astype(np.uint8)
    policy, noise = DiscretePolicy((OBS, 16, 16, ACTIONS), 4, ActionSpec(ACTIONS, MASKS)), GumbelBank(seed)
    policy.set_weights(of.policy_flat())
    for worker, step in np.ndindex(workers, 12):
        at = (worker, step)
        policy.act(data.obs[at], noise, data.actions[at], data.log_probs[at], classes[at])
    return replace(data, legality=classes)


def test_the_first_ratio_is_one_and_there_is_no_kl() -> None:
    """Acting in NumPy and learning in torch agree on every probability."""
    ours = masked_learner(STILL)
    data = masked_rollout(ours)
    logits = ours._state.policy(torch.from_numpy(data.obs[:, :-1]).reshape(-1, OBS))
    assert data.legality is not None
    legal = torch.from_numpy(MASKS[data.legality[:, :-1].reshape(-1)])
    log_probs = TorchCategorical(logits, legal).log_prob(torch.from_numpy(data.actions.reshape(-1)))
    ratio = (log_probs - torch.from_numpy(data.log_probs.reshape(-1))).exp()
    assert (ratio - 1).abs().max().item() <= 1e-5
    report = ours.update(data)
    assert report.dropped is None
    assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-7)
    assert report.metrics["train/clip_fraction"] == 0.0
    unmasked = masked_learner(STILL, None).update(data)
    assert unmasked.metrics["train/approx_kl"] > 0.01  # so that the test can fail


def test_the_update_is_that_of_a_slow_twin() -> None:
    """One step of plain gradient by hand over the legal rows, with torch's Categorical, row by row."""
    config = replace(CONFIG, epochs=1, standardize_returns=False, minibatch=17, max_grad_norm=1e9)
    ours, twin = masked_learner(config), masked_learner(config)
    data = masked_rollout(ours)
    report = ours.update(data)
    figures, _ = twin._experience(data, torch.from_numpy(data.obs.reshape(-1, OBS)))
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
            ours = masked_learner(replace(STILL, **changes))
            for seed in range(4):
                report = ours.update(masked_rollout(ours, seed))
                assert report.dropped is None
                assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-6)


def test_a_dropped_worker_takes_its_classes_along() -> None:
    ours = masked_learner(STILL)
    data = masked_rollout(ours, workers=3)
    assert data.legality is not None
    data.legality[1], data.actions[1] = 77, 99
    report = ours.update(replace(data, valid=np.array([True, False, True])))
    assert report.metrics["train/approx_kl"] == pytest.approx(0.0, abs=1e-6)


def test_masks_of_all_ones_change_nothing() -> None:
    """Bit for bit, after training."""
    free, masked = masked_learner(masks=None), masked_learner(masks=np.ones((4, ACTIONS), np.bool_))
    for seed in range(2):
        data = replace(rollout(seed=seed), legality=np.zeros((2, 13, 4), np.uint8))
        free.update(data)
        masked.update(data)
    assert torch.equal(weights(free), weights(masked))


def test_without_masks_classes_are_not_looked_at() -> None:
    one, two = masked_learner(masks=None), masked_learner(masks=None)
    one.update(rollout())
    two.update(replace(rollout(), legality=np.full((2, 13, 4), 200, np.uint8)))
    assert torch.equal(weights(one), weights(two))


def test_an_action_that_its_class_forbids_is_named() -> None:
    ours = masked_learner()
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
            masked_learner().update(replace(rollout(), legality=legality))


def test_a_choice_from_numbers_that_are_not_finite_is_left_to_the_guard() -> None:
    ours = masked_learner()
    data = masked_rollout(ours)
    assert data.legality is not None
    data.legality[0, 2, 1], data.actions[0, 2, 1], data.log_probs[0, 2, 1] = 1, 3, np.nan
    report = ours.update(data)
    assert report.dropped == "log-probability nan of worker 0, arena 0, car 1, step 2"
