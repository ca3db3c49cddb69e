"""Resolved profile: every default and `auto` filled in; digests; estimates of memory and sizes."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any, Literal

from rltui.formatting import MEGABYTE
from rltui.profile.components import SECTIONS, complete_parameters
from rltui.profile.models import ComponentSection, Profile, RewardSection, Section
from rltui.registry import MIRROR, Component, Kind, is_frozen

OF_GAME = (
    "tick_skip", "action_delay_ticks", "resets", "terminals", "game", "obs", "actions", "rewards", "reward_options",
    "curriculum", "mechanics", "selfplay", "evaluation", "render",
)  # fmt: skip
OF_PHASES = ("resets", "terminals", "game", "rewards", "reward_options", "mechanics", "selfplay", "ppo", "label", "phase")  # fmt: skip
EXTRAS = ("env", "curriculum", "mechanics", "selfplay")  # left out where nothing of them is used
TRAINER_MB = 350  # torch on the CPU, measured before anything is built
WORKER_MB = 62  # NumPy and RocketSim with its meshes
ARENA_MB = 0.5
SLACK = 0.25  # of the steps wanted, that a worker may go beyond them for slower ones, where no worker waits for another
CUT = 1 / 16  # of the timesteps, that shared memory has room for as the last of an episode that is cut


def resolved(profile: Profile) -> dict[str, Any]:
    """Plain values in the order of the schema; what is not set (phase) is left out. A reward is a number, or a table.

    Of a campaign also what each phase's profile says is left out, and beside an environment of one's own what is of the game.
    """
    data: dict[str, Any] = {}
    if profile.env and profile.obs.normalize:
        data["obs"] = {"normalize": True}
    for name, field in Profile.model_fields.items():
        value = getattr(profile, name)
        unused = name in EXTRAS and value == field.default
        unused |= bool(profile.env) and name in OF_GAME
        if value is not None and not unused and not (profile.phases and name in OF_PHASES):
            data[field.alias or name] = _plain(value)
    return data


def digest(profile: Profile) -> str:
    """64 hex digits over the resolved profile and its phases': equal profiles, equal digests, however they are written."""
    whole = [resolved(part) for part in (profile, *profile.phases)]
    text = json.dumps(whole if profile.phases else whole[0], sort_keys=True, ensure_ascii=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()


def reward_digest(profile: Profile, by_hand: Mapping[str, float]) -> str:
    """16 hex digits over what a task pays for: rewards with their weights, and what becomes of them together.

    by_hand: weights in the place of the profile's, by the rewards' names. A schedule counts as it is written.
    """
    parts = {
        "rewards": profile.rewards,
        "reward_options": profile.reward_options,
        "mechanics": profile.mechanics.rewards,
    }
    whole = {name: _plain(value) for name, value in parts.items()} | {"by_hand": dict(by_hand)}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def component(section: ComponentSection, name: str = "") -> tuple[Kind, Component]:
    """The component that a section names, with all its parameters. `name`: of a reward, which is its key."""
    kind = next(kind for kind, model in SECTIONS.items() if isinstance(section, model))
    if not isinstance(section, RewardSection):
        name = str(getattr(section, next(iter(type(section).model_fields))))
    return kind, Component(name, complete_parameters(kind, Component(name, section.options)))


def _plain(value: Any, name: str = "") -> Any:
    """name: the key of a reward."""
    if isinstance(value, RewardSection):
        options = _options(value, name)
        return {"weight": value.weight, **options} if options else value.weight
    if isinstance(value, Section):
        return _declared(value) | (_options(value) if isinstance(value, ComponentSection) else {})
    if isinstance(value, Mapping):
        return {key: _plain(item, key) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _options(section: ComponentSection, name: str = "") -> dict[str, Any]:
    """TOML has no null: a parameter that is None by default is left out."""
    return {key: value for key, value in component(section, name)[1].options.items() if value is not None}


def _declared(section: Section) -> dict[str, Any]:
    """Of the keys that stand for nothing by default (None, an empty list or table), those that say something."""
    return {
        name: _plain(value)
        for name, field in type(section).model_fields.items()
        if (value := getattr(section, name)) is not None and not (value in ((), {}) and value == field.default)
    }


def cores() -> int:
    """Processor cores that this process may use; at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on Windows or macOS
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def choose_inference(profile: Profile, device: str) -> Literal["local", "central"]:
    """Who evaluates the policy: on a GPU one batch for all workers, whatever the nets; on a CPU each worker for itself."""
    if profile.collect.collector == "serial":
        return "local"
    if profile.collect.inference != "auto":
        return profile.collect.inference
    return "central" if device == "cuda" else "local"


def worker_count(profile: Profile, device: str = "") -> int:
    """`collect.workers`, resolved: one for each core, but for the trainer's own where it answers the workers without a pause.

    device: the learner's, resolved; empty: as the profile says.
    """
    if profile.collect.workers != "auto":
        return profile.collect.workers
    central = choose_inference(profile, device or profile.learner.device) == "central"
    return max(1, cores() - central)


def thread_count(profile: Profile) -> int:
    """`learner.threads`, resolved: one for each core, since workers wait while the learner learns."""
    return cores() if profile.learner.threads == "auto" else profile.learner.threads


def learning_cars(profile: Profile) -> int:
    """Cars of an arena that are learned from: all, or blue alone against an opponent. Of a user's own environment its agents,
    which it is asked for.
    """
    if profile.env:
        return int(importlib.import_module("rltui.env.user_env").described(profile.env).agents)
    game = profile.game
    return game.blue + game.orange if game.opponent == MIRROR else game.blue


def observed_cars(profile: Profile) -> int:
    """Cars of an arena whose steps are in shared memory: those that are learned from, and those of frozen opponents."""
    game = profile.game
    return game.blue + game.orange if is_frozen(game.opponent) else learning_cars(profile)


def steps_per_rollout(profile: Profile, workers: int | None = None) -> int:
    """Steps of each arena in one iteration: enough for `ppo.iteration` timesteps over all workers, arenas, cars.

    workers: None: as many as `worker_count` says.
    """
    cars = learning_cars(profile)
    return max(1, ceil(profile.ppo.iteration / ((workers or worker_count(profile)) * profile.collect.arenas * cars)))


def slack_steps(inference: Literal["local", "central"], workers: int, steps: int) -> int:
    """Steps that a worker has room for beyond so many: with the trainer's policy none waits for a slower one; elsewhere each
    goes as far as the others, so that the same seed gives the same.
    """
    return ceil(SLACK * steps) if inference == "central" and workers > 1 else 0


def rollout_blocks(profile: Profile) -> int:
    """Iterations that shared memory has room for: one more where the next is collected while one is learned from."""
    return max(profile.ppo.buffer_iterations, 1 + profile.collect.overlap)


def parameter_count(inputs: int, layers: Sequence[int], outputs: int) -> int:
    """Weights and biases of a feed-forward net."""
    sizes = (inputs, *layers, outputs)
    return sum((wide + 1) * narrow for wide, narrow in pairwise(sizes))


@dataclass(frozen=True)
class MemoryEstimate:
    """An estimate in MB (10^6 bytes): the whole, and of it what lies in shared memory (/dev/shm)."""

    total: int
    shared: int


def estimate_memory(profile: Profile, obs_size: int, actions: int) -> MemoryEstimate:
    """Of trainer and workers together, on the CPU unless the profile demands a GPU; good to about a quarter, above all for small
    profiles.
    """
    inference, workers = choose_inference(profile, profile.learner.device), worker_count(profile)
    agents = workers * profile.collect.arenas * observed_cars(profile)
    steps = steps_per_rollout(profile, workers)
    steps += slack_steps(inference, workers, steps)
    seen = 4 * obs_size + 1 + 1  # observation, legality, whose it is: one more than there are steps
    row = 8 + 4 + 4 + 1 + 1 + 8 + 4 * obs_size * CUT  # action, log-probability, reward, two ends, the cut ones
    shared = agents * ((steps + 1) * seen + steps * row) * rollout_blocks(profile)
    shared += 4 * parameter_count(obs_size, profile.policy.layers, actions)
    nets = ((profile.policy.layers, actions), (profile.critic.layers, 1))
    weights = 16 * sum(
        parameter_count(obs_size, layers, outputs) for layers, outputs in nets
    )  # and gradient, two moments
    widest = max(obs_size + 2 * sum(layers) + 3 * outputs for layers, outputs in nets)
    ppo = profile.ppo
    learning = 8 * (ppo.batch if ppo.minibatch == "auto" else min(ppo.minibatch, ppo.batch)) * widest
    processes = TRAINER_MB + workers * (WORKER_MB + ARENA_MB * profile.collect.arenas)
    return MemoryEstimate(round(processes + (shared + weights + learning) / MEGABYTE), ceil(shared / MEGABYTE))
