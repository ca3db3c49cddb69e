"""Small rollouts of noise for a learner, and a learner small enough for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout

OBS, ACTIONS = 6, 5
CONFIG = PPOConfig(
    learning_rate=1e-3, critic_learning_rate=1e-3, epochs=2, batch=10_000, minibatch=10_000, precision="float32"
)


def learner(config: PPOConfig = CONFIG, seed: int = 0, **changes: object) -> PPOLearner:
    """Two hidden layers of 16; `changes` replace fields of the configuration."""
    return PPOLearner(NetSizes(OBS, ActionSpec(ACTIONS), (16, 16), (16, 16)), replace(config, **changes), seed=seed)  # type: ignore[arg-type]


def rollout(workers: int = 2, steps: int = 12, agents: int = 4, seed: int = 0, ends: float = 0.15) -> Rollout:
    """Noise; about `ends` of the steps terminate, as many truncate, some do both. Two cars an arena."""
    rng = np.random.default_rng(seed)
    shape = (workers, steps, agents)
    terminated, truncated = rng.random(shape) < ends, rng.random(shape) < ends
    final_index = np.flatnonzero(truncated & ~terminated)
    return Rollout(
        obs=rng.standard_normal((workers, steps + 1, agents, OBS), np.float32),
        actions=rng.integers(ACTIONS, size=shape),
        log_probs=rng.uniform(-2.5, -1.0, shape).astype(np.float32),
        rewards=rng.standard_normal(shape, np.float32),
        terminated=terminated,
        truncated=truncated,
        final_obs=rng.standard_normal((len(final_index), OBS), np.float32),
        final_index=final_index,
        valid=np.ones(workers, np.bool_),
        cars=2,
    )


def on_policy(of: PPOLearner, data: Rollout) -> Rollout:
    """The same rollout with the log-probabilities of this learner's policy."""
    with torch.no_grad():
        logits = of._state.policy(torch.from_numpy(data.obs[:, :-1]))
        log_probs = torch.log_softmax(logits, -1).gather(-1, torch.from_numpy(data.actions)[..., None])
    return replace(data, log_probs=log_probs[..., 0].numpy())


def weights(of: PPOLearner) -> torch.Tensor:
    """All parameters of policy and critic as one vector."""
    networks = (of._state.policy, of._state.critic)
    return torch.cat([p.detach().reshape(-1).clone() for network in networks for p in network.parameters()])
