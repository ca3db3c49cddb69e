"""What `auto` means on this machine, and what a profile will ask of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from rltui.formatting import MEGABYTE
from rltui.profile.models import Profile

TRAINER_MB = 350  # torch on the CPU, measured before anything is built
WORKER_MB = 62  # NumPy and RocketSim with its meshes
ARENA_MB = 0.5


def cores() -> int:
    """Processor cores that this process may use; at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on Windows or macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def worker_count(profile: Profile) -> int:
    """`collect.workers`, resolved: one for each core."""
    return cores() if profile.collect.workers == "auto" else profile.collect.workers


def thread_count(profile: Profile) -> int:
    """`learner.threads`, resolved: one for each core, since workers wait while the learner learns."""
    return cores() if profile.learner.threads == "auto" else profile.learner.threads


def learning_cars(profile: Profile) -> int:
    """Cars of an arena that the bot plays: all, or blue alone against a scripted opponent."""
    game = profile.game
    return game.blue + game.orange if game.opponent == "mirror" else game.blue


def steps_per_rollout(profile: Profile) -> int:
    """Steps of each arena in one iteration: enough for `ppo.iteration` timesteps over all workers, arenas, cars."""
    cars = learning_cars(profile)
    return max(1, ceil(profile.ppo.iteration / (worker_count(profile) * profile.collect.arenas * cars)))


def parameter_count(inputs: int, layers: Sequence[int], outputs: int) -> int:
    """Weights and biases of a feed-forward net."""
    sizes = (inputs, *layers, outputs)
    return sum((wide + 1) * narrow for wide, narrow in pairwise(sizes))


@dataclass(frozen=True)
class Memory:
    """An estimate in MB (10^6 bytes): the whole, and of it what lies in shared memory (/dev/shm)."""

    total: int
    shared: int


def memory(profile: Profile, obs_size: int, actions: int) -> Memory:
    """Of trainer and workers together, on the CPU; good to about a quarter, above all for small profiles."""
    cars = learning_cars(profile)
    workers = worker_count(profile)
    agents = workers * profile.collect.arenas * cars
    row = 4 * obs_size + 8 + 4 + 4 + 1 + 1 + 1  # observation, action, log-probability, reward, two ends, legality
    shared = agents * ((steps_per_rollout(profile) + 1) * row) * profile.ppo.buffer_iterations
    nets = ((profile.policy.layers, actions), (profile.critic.layers, 1))
    weights = 16 * sum(
        parameter_count(obs_size, layers, outputs) for layers, outputs in nets
    )  # and gradient, two moments
    widest = max(obs_size + 2 * sum(layers) + 3 * outputs for layers, outputs in nets)
    learning = 8 * min(profile.ppo.minibatch, profile.ppo.batch) * widest
    processes = TRAINER_MB + workers * (WORKER_MB + ARENA_MB * profile.collect.arenas)
    return Memory(round(processes + (shared + weights + learning) / MEGABYTE), ceil(shared / MEGABYTE))
