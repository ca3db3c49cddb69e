"""Learning half of the rows of each epoch as their left-right mirror images."""

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
BOTH = replace(CONFIG, mirror=MIRROR, batch=40, minibatch=15)
SIZES = NetSizes(OBS, ActionSpec(ACTIONS), (16, 16), (16, 16))


class Twin(PPOLearner):
    """Keeps what it learns from; mirrors the rows beforehand, one by one, and shows its networks no mask of them."""

    def __init__(self, sizes: NetSizes, config: PPOConfig, seed: int = 0) -> None:
        super().__init__(sizes, config, seed=seed)
        self.batches: list[Experience] = []

    def _step(self, batch: Experience, *others: Any) -> None:
        self.batches.append(batch)
        assert batch.flipped is not None
        obs, actions = batch.obs.numpy()[batch.place], batch.actions.numpy().copy()
        for row in np.flatnonzero(batch.flipped):
            obs[row] = obs[row, MIRROR.obs_index] * MIRROR.obs_sign
            actions[row] = MIRROR.actions[actions[row]]
        rows = {"obs": torch.from_numpy(obs), "place": torch.arange(len(batch)), "actions": torch.from_numpy(actions)}
        super()._step(replace(batch, **rows, flipped=None), *others)


def test_it_learns_as_from_rows_mirrored_beforehand(subtests: pytest.Subtests) -> None:
    """Three batches an epoch, the last of them partial, each in several minibatches; two updates; bit for bit."""
    for name, config, masks in (
        ("plain", BOTH, None),
        ("masked", BOTH, MASKS),
        ("normalised", replace(BOTH, normalize_observations=True), None),
        ("earlier iterations", replace(BOTH, buffer_iterations=2), None),
        ("an odd number of epochs", replace(BOTH, epochs=3), None),
        ("bf16", replace(BOTH, precision="bf16"), None),
    ):
        sizes = replace(SIZES, actions=ActionSpec(ACTIONS, masks))
        ours, twin = PPOLearner(sizes, config), Twin(sizes, config)
        for update in range(2):
            data = legal(rollout(seed=update), masks)
            for each in (ours, twin):
                assert each.update(data).dropped is None
        with subtests.test(name):
            assert torch.equal(weights(ours), weights(twin))
            assert not torch.allclose(weights(ours), weights(PPOLearner(sizes, config)), atol=1e-3)


def test_each_row_is_learned_from_in_both_ways_in_turn() -> None:
    """A half of the rows as images in one epoch, the other half in the next; drawn by the seed, anew in each update."""
    one, same, other = (Twin(SIZES, replace(BOTH, epochs=4), seed) for seed in (0, 0, 1))
    drawn = []
    for update in range(2):
        for each in (one, same, other):
            each.update(rollout(steps=11, seed=update))
        ways = [flips(each) for each in (one, same, other)]
        assert torch.equal(ways[0], ways[1]) and not torch.equal(ways[0], ways[2])
        first, second, *again = ways[0]
        assert first.sum() == len(first) // 2 and torch.equal(first, ~second)
        assert torch.equal(torch.stack(again), ways[0][:2])
        drawn.append(first)
    assert not torch.equal(*drawn)


def flips(twin: Twin) -> torch.Tensor:
    """bool [epochs, rows] of the newest update, by the rows' places."""
    rows = [torch.stack([batch.place, batch.flipped]) for batch in twin.batches]  # type: ignore[list-item]
    place, flipped = torch.cat(rows, 1).unflatten(1, (4, -1))
    twin.batches.clear()
    return flipped.gather(1, place.argsort(1)).bool()


def legal(data: Rollout, masks: np.ndarray | None) -> Rollout:
    """With classes of all kinds and the first legal action where the chosen one is not."""
    if masks is None:
        return data
    workers, steps, agents = data.shape
    classes = np.random.default_rng(0).integers(len(masks), size=(workers, steps + 1, agents)).astype(np.uint8)
    allowed = masks[classes[:, :-1]]
    fine = np.take_along_axis(allowed, data.actions[..., None], -1)[..., 0]
    return replace(data, legality=classes, actions=np.where(fine, data.actions, allowed.argmax(-1)))


def test_kl_and_clip_fraction_are_of_the_rows_as_collected() -> None:
    """Of a policy that is never changed: no KL, and both as without a mirror, since two epochs have each row once."""
    still = replace(CONFIG, learning_rate=0.0, critic_learning_rate=0.0, minibatch=17)
    for data in (rollout(), on_policy(learner(), rollout())):
        plain, found = learner(still).update(data).metrics, learner(still, mirror=MIRROR).update(data).metrics
        for name in ("train/approx_kl", "train/clip_fraction"):
            assert found[name] == pytest.approx(plain[name], rel=1e-5, abs=1e-6), name
        assert found["train/entropy"] != plain["train/entropy"]
    assert found["train/approx_kl"] == pytest.approx(0, abs=1e-6)


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
