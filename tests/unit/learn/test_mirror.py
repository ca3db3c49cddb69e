"""Learning each row's left-right mirror image beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import Mirror, NetSizes, PPOConfig
from rltui.learn.minibatches import Experience
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from tests.fakes.rollouts import ACTIONS, CONFIG, OBS, learner, on_policy, rollout, weights

# The first number changes its sign, two change places; so do two actions.
MIRROR = Mirror(np.array([0, 2, 1, 3, 4, 5]), np.float32([-1, 1, 1, 1, -1, 1]), np.array([0, 2, 1, 3, 4]))
MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [0, 1, 1, 0, 0]], np.bool_)  # the same for both of a pair
BOTH = replace(CONFIG, mirror=MIRROR, normalize_advantages=False, batch=40, minibatch=15)


class Twin(PPOLearner):
    """Learns from batches that hold both rows of each pair, made in NumPy, and knows of no mirror."""

    def __init__(self, sizes: NetSizes, config: PPOConfig, mirror: Mirror) -> None:
        super().__init__(sizes, replace(config, mirror=None))
        self._images = mirror

    def _step(self, batch: Experience, *others: Any) -> None:
        index, sign, actions = self._images
        obs = batch.obs.numpy()
        image = replace(
            batch,
            obs=torch.from_numpy(obs[:, index] * sign),
            actions=torch.from_numpy(actions[batch.actions.numpy()]),
        )
        super()._step(joined(batch, image), *others)


def joined(one: Experience, other: Experience) -> Experience:
    def both(name: str) -> torch.Tensor:
        return torch.cat([getattr(one, name), getattr(other, name)])

    names = ("actions", "log_probs", "advantages", "targets")
    classes = None if one.classes is None else both("classes")
    place = torch.cat([one.place, other.place + len(one.obs)])
    return Experience(both("obs"), place, **{name: both(name) for name in names}, classes=classes)


def test_it_learns_as_from_batches_of_both_rows(subtests: pytest.Subtests) -> None:
    """Three batches an epoch, each in several minibatches, two updates."""
    for name, config, masks in (
        ("plain", BOTH, None),
        ("masked", BOTH, MASKS),
        ("normalised", replace(BOTH, normalize_observations=True), None),
        ("earlier iterations", replace(BOTH, buffer_iterations=2), None),
    ):
        sizes = NetSizes(OBS, ActionSpec(ACTIONS, masks), (16, 16), (16, 16))
        ours, twin = PPOLearner(sizes, config), Twin(sizes, config, MIRROR)
        for update in range(2):
            data = legal(rollout(seed=update), masks)
            for each in (ours, twin):
                assert each.update(data).dropped is None
        with subtests.test(name):
            torch.testing.assert_close(weights(ours), weights(twin), rtol=1e-5, atol=1e-6)
            assert not torch.allclose(weights(ours), weights(PPOLearner(sizes, config)), atol=1e-3)


def legal(data: Rollout, masks: np.ndarray | None) -> Rollout:
    """With classes of all kinds and the first legal action where the chosen one is not."""
    if masks is None:
        return data
    workers, steps, agents = data.shape
    classes = np.random.default_rng(0).integers(len(masks), size=(workers, steps + 1, agents)).astype(np.uint8)
    allowed = masks[classes[:, :-1]]
    fine = np.take_along_axis(allowed, data.actions[..., None], -1)[..., 0]
    return replace(data, legality=classes, actions=np.where(fine, data.actions, allowed.argmax(-1)))


def test_normalised_advantages_differ_by_the_missing_degree_of_freedom_alone() -> None:
    sizes = NetSizes(OBS, ActionSpec(ACTIONS), (16, 16), (16, 16))
    config = replace(BOTH, normalize_advantages=True)
    ours, twin = PPOLearner(sizes, config), Twin(sizes, config, MIRROR)
    for each in (ours, twin):
        each.update(rollout())
    torch.testing.assert_close(weights(ours), weights(twin), rtol=0, atol=2e-4)


def test_figures_are_of_the_rows_as_collected() -> None:
    """Of a policy that is never changed: no KL, and all is as without a mirror."""
    still = replace(CONFIG, learning_rate=0.0, critic_learning_rate=0.0)
    one, both = learner(still), learner(still, mirror=MIRROR)
    data = on_policy(one, rollout())
    plain, found = one.update(data).metrics, both.update(data).metrics
    assert found["train/approx_kl"] == pytest.approx(0, abs=1e-6)
    for name in plain.keys() - {"train/policy_grad_norm", "train/critic_grad_norm"}:
        assert found[name] == pytest.approx(plain[name], rel=1e-5, abs=1e-6), name


def test_another_configuration_takes_the_mirror_on_and_off() -> None:
    changed, plain, both = learner(), learner(), learner(mirror=MIRROR)
    changed.configure(both.config)
    for each in (changed, both):
        each.update(rollout())
    assert torch.equal(weights(changed), weights(both))
    assert not torch.equal(weights(changed), weights(plain))
    changed.configure(plain.config)
    changed.update(rollout(seed=1))
    plain._state.load(both.snapshot().files())
    plain.update(rollout(seed=1))
    assert torch.equal(weights(changed), weights(plain))


def test_what_is_learned_on_one_side_is_known_on_the_other() -> None:
    """All that is seen lies to the right, where action 1 is rewarded; on the left that is action 2, its image."""
    rng = np.random.default_rng(0)
    left = torch.from_numpy(rng.standard_normal((200, OBS), np.float32))
    left[:, 0] = -left[:, 0].abs()
    index, sign, actions = map(torch.from_numpy, MIRROR)
    right = left[:, index] * sign
    shares, uneven = [], []
    for mirror in (MIRROR, None):
        ours = learner(learning_rate=1e-2, critic_learning_rate=1e-2, epochs=4, mirror=mirror)
        for update in range(25):
            ours.update(collected_on_the_right(ours, update))
        chances = policy(ours)
        shares.append((chances(left).argmax(-1) == 2).float().mean().item())
        uneven.append((chances(left) - chances(right)[:, actions]).abs().sum(-1).mean().item())
        assert (chances(right).argmax(-1) == 1).float().mean() > 0.9
    assert shares[0] > 0.9 and shares[1] < 0.5
    assert uneven[0] < 0.3 < uneven[1], uneven


def policy(of: PPOLearner) -> Callable[[torch.Tensor], torch.Tensor]:
    def chances(obs: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return torch.softmax(of._state.policy(obs), -1)

    return chances


def collected_on_the_right(of: PPOLearner, seed: int) -> Rollout:
    data = rollout(steps=24, seed=seed, ends=0)
    data.obs[..., 0] = np.abs(data.obs[..., 0])
    chances = policy(of)(torch.from_numpy(data.obs[:, :-1])).numpy()
    draws = np.random.default_rng(seed).random((*data.shape, 1))
    actions = (chances.cumsum(-1) > draws).argmax(-1)
    ends = np.ones(data.shape, np.bool_)  # every step is an episode
    rewards = (actions == 1).astype(np.float32)
    return on_policy(of, replace(data, actions=actions, rewards=rewards, terminated=ends))
