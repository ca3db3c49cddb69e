"""Timesteps that somebody else than the learner played: an update with them equals one on a rollout without them, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from tests.fakes.rollouts import ACTIONS, CONFIG, OBS, learner, on_policy, rollout, weights

MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1]], np.bool_)
SETTINGS = replace(CONFIG, normalize_observations=True, buffer_iterations=2, batch=30, minibatch=13)


def poisoned(data: Rollout, learn: np.ndarray) -> Rollout:
    """What is not learned from is nothing that a learner could bear, where it is not what a learned timestep leads to."""
    data = replace(data, learn=learn, actions=np.where(learn, data.actions, 99))
    data.log_probs[~learn] = data.rewards[~learn] = np.nan
    for worker, step, agent in np.argwhere(~learn):
        led_to = step and learn[worker, step - 1, agent] and not data.terminated[worker, step - 1, agent]
        if not led_to:
            data.obs[worker, step, agent] = np.nan
    last = ~learn[:, -1]
    data.obs[:, -1][last] = np.nan
    data.final_obs[~learn.reshape(-1)[data.final_index]] = np.nan
    if data.legality is not None:
        data.legality[:, :-1][~learn] = 9
    return data


def without(data: Rollout, agents: np.ndarray) -> Rollout:
    """Only these agents of each worker, [W, n]."""
    w, t, _ = data.shape
    worker, step, agent = np.unravel_index(data.final_index, data.shape)
    found = [np.flatnonzero(agents[x] == y) for x, y in zip(worker, agent, strict=True)]
    kept = np.array([len(each) > 0 for each in found], np.bool_)
    place = np.array([each[0] for each in found if len(each)], np.int64)
    cut = {
        name: np.ascontiguousarray([getattr(data, name)[i][:, agents[i]] for i in range(w)])
        for name in ("obs", "actions", "log_probs", "rewards", "terminated", "truncated", "legality")
    }
    index = np.ravel_multi_index((worker[kept], step[kept], place), (w, t, agents.shape[1]))
    return replace(data, **cut, final_obs=data.final_obs[kept], final_index=index)


def masked_learner(seed: int = 0) -> PPOLearner:
    return PPOLearner(NetSizes(OBS, ActionSpec(ACTIONS, MASKS), (16, 16), (16, 16)), SETTINGS, seed=seed)


def noise(seed: int, agents: int = 5) -> Rollout:
    data = rollout(workers=2, steps=12, agents=agents, seed=seed)
    return replace(data, actions=data.actions // 2 * 2, legality=(data.obs[..., 0] > 0).astype(np.uint8))


def test_an_update_equals_one_without_the_other_cars() -> None:
    """Three iterations with a buffer, masks of actions, normalised observations and returns; every figure too."""
    agents = np.array([[1, 3], [0, 2]])
    learn = np.zeros((2, 12, 5), np.bool_)
    for worker, mine in enumerate(agents):
        learn[worker][:, mine] = True
    ours, twin = masked_learner(), masked_learner()
    for seed in range(3):
        cut = without(noise(seed), agents)
        one, other = ours.update(poisoned(noise(seed), learn)), twin.update(cut)
        assert one.dropped is None and one == other
        assert one.rows == 48 * min(seed + 1, 2)
        assert torch.equal(weights(ours), weights(twin))
    assert ours.snapshot().files() == twin.snapshot().files()


def test_where_everything_is_learned_from_a_mask_changes_no_bit() -> None:
    ours, twin = masked_learner(), masked_learner()
    assert ours.update(replace(noise(0), learn=np.ones((2, 12, 5), np.bool_))) == twin.update(noise(0))
    assert torch.equal(weights(ours), weights(twin))


def test_a_seat_that_changes_hands_between_episodes() -> None:
    """Two cars, of which the learner plays first one, then the other: equals one car that it plays all along."""
    for ends in ("terminated", "truncated"):
        data = rollout(workers=1, steps=12, agents=2, seed=3, ends=0)
        getattr(data, ends)[0, 5] = True
        if ends == "truncated":
            data = replace(data, final_index=np.array([10, 11]), final_obs=data.obs[0, 3].copy())
        learn = np.zeros((1, 12, 2), np.bool_)
        learn[0, :6, 0] = learn[0, 6:, 1] = True
        one = {
            name: getattr(data, name)[learn].reshape(1, 12, 1)
            for name in ("actions", "log_probs", "rewards", "terminated", "truncated")
        }
        obs = np.concatenate([data.obs[:, :6, :1], data.obs[:, 6:, 1:]], axis=1)
        finals = len(data.final_index) // 2
        single = replace(data, obs=obs, **one, final_obs=data.final_obs[:finals], final_index=np.full(finals, 5))
        ours, twin = learner(), learner()
        assert ours.update(poisoned(data, learn)) == twin.update(single)
        assert torch.equal(weights(ours), weights(twin))


@pytest.mark.parametrize("first", [True, False])
def test_nothing_leaks_where_hands_change_within_an_episode(first: bool) -> None:
    """Half of the steps learned from equals a rollout that is this half, whose last step bootstraps from what follows."""
    data = rollout(workers=2, steps=12, agents=3, seed=5, ends=0)
    learn = np.zeros((2, 12, 3), np.bool_)
    half = slice(0, 6) if first else slice(6, 12)
    learn[:, half] = True
    names = ("actions", "log_probs", "rewards", "terminated", "truncated")
    short = replace(data, obs=data.obs[:, half.start : half.stop + 1].copy(), **{n: getattr(data, n)[:, half].copy() for n in names})  # fmt: skip
    ours, twin = learner(), learner()
    assert ours.update(poisoned(data, learn)) == twin.update(short)
    assert torch.equal(weights(ours), weights(twin))


def test_a_dead_worker_and_other_cars_together() -> None:
    learn = np.zeros((3, 12, 4), np.bool_)
    learn[..., 2:] = True
    data = on_policy(learner(), rollout(workers=3))
    cut = replace(poisoned(rollout(workers=3), learn), log_probs=data.log_probs, valid=np.array([True, False, True]))
    alive = replace(cut, valid=np.ones(3, np.bool_))
    assert (cut.rows, alive.rows) == (48, 72)
    report = learner().update(cut)
    assert report.dropped is None and report.rows == 48
    assert learner().update(replace(cut, learn=np.zeros_like(learn))).steps == 0


def test_what_is_learned_from_is_still_checked() -> None:
    learn = np.ones((2, 12, 4), np.bool_)
    learn[1] = False
    data = poisoned(rollout(), learn)
    data.rewards[0, 3, 1] = np.inf
    assert learner().update(data).dropped == "reward inf of worker 0, arena 0, car 1, step 3"
    data = poisoned(rollout(), learn)
    data.actions[0, 2, 2] = 7
    with pytest.raises(ValueError, match="action 7 of worker 0, arena 1, car 0, step 2 is not in 0 … 4"):
        learner().update(data)
    with pytest.raises(ValueError, match=r"rollout\.learn: expected \[2, 12, 4\], found \[2, 4\]"):
        learner().update(replace(data, learn=learn[:, 0]))
