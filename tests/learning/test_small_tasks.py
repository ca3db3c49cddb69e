"""PPO learns: a contextual bandit, a chain whose reward comes late, and time limits that are not ends. Seconds each."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout
from rltui.policy.mlp import DiscretePolicy, GumbelBank

CONFIG = PPOConfig(learning_rate=3e-3, critic_learning_rate=3e-3, batch=512, minibatch=512, epochs=4)


class Environment:
    """A agents, each in a state of its own; observations are one-hot states."""

    states: int
    actions: int
    limit: int | None = None  # steps after which an episode is truncated

    def __init__(self, agents: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.agents = agents
        self.age = np.zeros(agents, np.int64)
        self.state = self.first()

    def first(self) -> np.ndarray:
        return self.rng.integers(self.states, size=self.agents)

    def observe(self, state: np.ndarray) -> np.ndarray:
        return np.eye(self.states, dtype=np.float32)[state]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Reward, terminated, next state before any reset."""
        raise NotImplementedError


class Bandit(Environment):
    """The right action is a function of the state: reward 1; every step is an episode."""

    states, actions = 4, 5

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (actions == (3 * self.state + 1) % 5).astype(np.float32), np.ones(self.agents, bool), self.first()


class Chain(Environment):
    """Two states. Staying in 0 pays 0.05; moving to 1 costs 0.1, and from there moving on pays 1 and ends."""

    states, actions = 2, 2

    def first(self) -> np.ndarray:
        return np.zeros(self.agents, np.int64)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        moved = actions == 1
        ended = moved & (self.state == 1)
        rewards = np.where(ended, 1.0, np.where(self.state == 1, 0.0, np.where(moved, -0.1, 0.05)))
        return rewards.astype(np.float32), ended, np.where(moved, 1, self.state)


class Forever(Environment):
    """Reward 1 at every step; only a time limit of 4 steps ends an episode. The state is the age."""

    states, actions, limit = 4, 2, 4

    def first(self) -> np.ndarray:
        return np.zeros(self.agents, np.int64)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.ones(self.agents, np.float32), np.zeros(self.agents, bool), np.minimum(self.state + 1, 3)


def collect(env: Environment, policy: DiscretePolicy, noise: GumbelBank, steps: int) -> Rollout:
    """One worker's rollout, as a real one fills it."""
    shape = (1, steps, env.agents)
    data = Rollout(
        obs=np.zeros((1, steps + 1, env.agents, env.states), np.float32),
        actions=np.zeros(shape, np.int64),
        log_probs=np.zeros(shape, np.float32),
        rewards=np.zeros(shape, np.float32),
        terminated=np.zeros(shape, bool),
        truncated=np.zeros(shape, bool),
        final_obs=np.zeros((0, env.states), np.float32),
        final_index=np.zeros(0, np.int64),
        valid=np.ones(1, bool),
    )
    finals, places = [data.final_obs], [data.final_index]
    for t in range(steps):
        data.obs[0, t] = env.observe(env.state)
        policy.act(data.obs[0, t], noise, data.actions[0, t], data.log_probs[0, t])
        data.rewards[0, t], data.terminated[0, t], following = env.step(data.actions[0, t])
        env.age += 1
        data.truncated[0, t] = (env.age == env.limit) & ~data.terminated[0, t]
        cut = np.flatnonzero(data.truncated[0, t])
        finals.append(env.observe(following)[cut])
        places.append(t * env.agents + cut)
        ended = data.terminated[0, t] | data.truncated[0, t]
        env.state = np.where(ended, env.first(), following)
        env.age[ended] = 0
    data.obs[0, steps] = env.observe(env.state)
    data.final_obs, data.final_index = np.concatenate(finals), np.concatenate(places)
    return data


def train(env: Environment, learner: PPOLearner, updates: int) -> DiscretePolicy:
    """Collect with the NumPy policy, learn with torch."""
    policy, noise = DiscretePolicy((env.states, 32, env.actions), env.agents), GumbelBank(1)
    for _ in range(updates):
        policy.set_weights(learner.policy_flat())
        assert learner.update(collect(env, policy, noise, steps=512 // env.agents)).dropped is None
    policy.set_weights(learner.policy_flat())
    return policy


def learner(env: Environment, **changes: float) -> PPOLearner:
    config = PPOConfig(**{**CONFIG.__dict__, **changes})
    return PPOLearner(NetSizes(env.states, ActionSpec(env.actions), (32,), (32,)), config, seed=1)


def probabilities(policy: DiscretePolicy, states: int) -> np.ndarray:
    return torch.softmax(torch.from_numpy(policy.logits(np.eye(states, dtype=np.float32))), -1).numpy()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_contextual_bandit(seed: int) -> None:
    env = Bandit(agents=32, seed=seed)
    policy = train(env, learner(env), updates=40)
    found = probabilities(policy, 4)
    assert found.argmax(axis=1).tolist() == [1, 4, 2, 0]
    assert found.max(axis=1).min() > 0.8


@pytest.mark.parametrize("seed", [0, 1])
def test_a_chain_whose_reward_comes_late(seed: int) -> None:
    """The first move costs and only the second pays: without bootstrapped values, staying looks better."""
    env = Chain(agents=32, seed=seed)
    policy = train(env, learner(env, gamma=0.9), updates=40)
    assert probabilities(policy, 2)[:, 1].min() > 0.8


def test_a_time_limit_is_not_an_end() -> None:
    """Reward 1 for ever at γ 0.8 is worth 5 in every state; a critic that takes limits for ends falls to 1 at the last."""
    env = Forever(agents=32, seed=0)
    ours = learner(env, gamma=0.8, critic_learning_rate=1e-2, standardize_returns=False)
    train(env, ours, updates=60)
    with torch.no_grad():
        values = ours._state.critic(torch.eye(4))[:, 0].numpy()
    np.testing.assert_allclose(values, 5, atol=0.5)
