"""Benchmark of one PPO update against the bare passes through its networks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from rltui.actions.spec import ActionSpec
from rltui.learn import networks
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout


@dataclass(frozen=True)
class UpdateShape:
    """What is timed. The defaults are the bench task's: 1v1, RLGym's table, 256 × 256 × 256, one batch an epoch."""

    workers: int = 2
    steps: int = 313  # of each worker
    agents: int = 32  # of each worker
    obs_size: int = 92
    actions: ActionSpec = field(default_factory=lambda: ActionSpec(90))
    layers: tuple[int, ...] = (256, 256, 256)  # of the policy
    critic_layers: tuple[int, ...] = (256, 256, 256)
    epochs: int = 2
    minibatch: int = 4_096

    @property
    def rows(self) -> int:
        return self.workers * self.steps * self.agents


@dataclass(frozen=True)
class UpdateTimes:
    """Medians over the rounds."""

    update_seconds: float  # checks, values, GAE, epochs of PPO, report
    bare_seconds: float  # the same passes with a mean squared error: no shuffle, no values, no PPO
    ratio: float  # median of update / bare within a round


def update_against_bare(
    shape: UpdateShape,
    rounds: int = 5,
    threads: int | None = None,
    device: str = "cpu",
    config: PPOConfig | None = None,
) -> UpdateTimes:
    """Time both in alternation, after a round that is not counted. threads: None leaves torch's number as it is. config:
    the learner's; None: PPOConfig's own, one batch an epoch.
    """
    with _torch_threads(threads):
        update, bare = one_update(shape, device, config), _bare(shape, device)
        update()
        bare()
        pairs = [(_seconds(update), _seconds(bare)) for _ in range(rounds)]
    return UpdateTimes(
        update_seconds=statistics.median(u for u, _ in pairs),
        bare_seconds=statistics.median(b for _, b in pairs),
        ratio=statistics.median(u / b for u, b in pairs),
    )


def random_rollout(shape: UpdateShape, seed: int = 0) -> Rollout:
    """A rollout of noise: about one episode end in a hundred steps, half of them truncations."""
    rng = np.random.default_rng(seed)
    w, t, a = shape.workers, shape.steps, shape.agents
    terminated, truncated = (rng.random((w, t, a)) < 0.005 for _ in range(2))
    final_index = np.flatnonzero(truncated & ~terminated)
    return Rollout(
        obs=rng.standard_normal((w, t + 1, a, shape.obs_size), np.float32),
        actions=rng.integers(shape.actions.outputs, size=(w, t, a)),
        log_probs=np.full((w, t, a), -np.log(shape.actions.outputs), np.float32),
        rewards=rng.standard_normal((w, t, a), np.float32),
        terminated=terminated,
        truncated=truncated,
        final_obs=rng.standard_normal((len(final_index), shape.obs_size), np.float32),
        final_index=final_index,
        valid=np.ones(w, np.bool_),
    )


def one_update(shape: UpdateShape, device: str = "cpu", config: PPOConfig | None = None) -> Callable[[], object]:
    """An update of a new learner on a random rollout, as a function to call again and again."""
    config = config or PPOConfig(epochs=shape.epochs, batch=shape.rows, minibatch=shape.minibatch)
    learner = PPOLearner(NetSizes(shape.obs_size, shape.actions, shape.layers, shape.critic_layers), config, device)
    rollout = random_rollout(shape)
    return lambda: learner.update(rollout)


def _bare(shape: UpdateShape, device: str) -> Callable[[], None]:
    outputs = ((shape.layers, shape.actions.outputs), (shape.critic_layers, 1))
    nets = [networks.build(shape.obs_size, layers, size, 0).to(device) for layers, size in outputs]
    adams = [torch.optim.Adam(net.parameters(), lr=1e-4) for net in nets]
    obs = torch.randn(shape.rows, shape.obs_size, device=device)
    targets = [torch.randn(shape.rows, size, device=device) for _, size in outputs]

    def run() -> None:
        for _ in range(shape.epochs):
            for net, adam, target in zip(nets, adams, targets, strict=True):
                _bare_step(net, adam, torch.split(obs, shape.minibatch), torch.split(target, shape.minibatch))
        if device != "cpu":
            torch.cuda.synchronize()

    return run


def _bare_step(
    net: torch.nn.Module, adam: torch.optim.Adam, obs: tuple[Tensor, ...], targets: tuple[Tensor, ...]
) -> None:
    adam.zero_grad()
    for x, y in zip(obs, targets, strict=True):
        torch.autograd.backward(mse_loss(net(x), y))
    adam.step()


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def _torch_threads(threads: int | None) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
