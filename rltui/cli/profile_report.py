"""What `rltui profile check` finds out about one profile, as plain data: the launcher reads it as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rltui.env.from_profile import env_spec, reward_warnings, signature, sizes
from rltui.env.obs_trial import obs_warnings
from rltui.env.spec import EnvSpec
from rltui.profile.advice import advice, half_life
from rltui.profile.lessons import lesson, lessons
from rltui.profile.load import Reading, read
from rltui.profile.machine import memory, parameter_count, worker_count
from rltui.profile.models import Profile
from rltui.profile.resolved import digest


def report(argument: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """valid; errors {file, line, key, message, expected, found, hint}; warnings; signature and summary, null when it is
    not valid.
    """
    reading = read(argument, overrides)
    found: dict[str, Any] = {
        "profile": argument,
        "name": reading.path.stem if reading.path else argument,
        "path": str(reading.path) if reading.path else None,
        "valid": reading.profile is not None,
        "errors": [problem.as_dict() for problem in reading.problems],
        "warnings": list(reading.notices),
        "signature": None,
        "summary": None,
    }
    if reading.profile is not None:
        found |= _of_valid(reading.profile, reading)
    return found


def _of_valid(profile: Profile, reading: Reading) -> dict[str, Any]:
    first = lesson(profile)
    spec = env_spec(first)
    return {
        "warnings": [*reading.notices, *advice(profile), *_of_components(profile)],
        "signature": msgspec.to_builtins(signature(first, spec)),
        "summary": {**_texts(first), "hash": digest(profile), **_figures(first, spec)},
    }


def _of_components(profile: Profile) -> list[str]:
    """Of every phase's and stage's observation and rewards, each sentence once."""
    specs = [env_spec(taught) for taught in lessons(profile)]
    return list(dict.fromkeys(said for spec in specs for said in (*obs_warnings(spec), *reward_warnings(spec))))


def _texts(profile: Profile) -> dict[str, Any]:
    return {
        "label": profile.label,
        "phase": profile.phase,
        "description": profile.description,
        "author": profile.author,
        "obs": profile.obs.kind,
        "table": profile.actions.table,
        "policy": profile.policy.kind,
        "device": profile.learner.device,
        "rewards": {name: section.weight for name, section in profile.rewards.items()},
    }


def _figures(profile: Profile, spec: EnvSpec) -> dict[str, Any]:
    size = sizes(spec)
    policy = parameter_count(size.obs, profile.policy.layers, size.actions)
    critic = parameter_count(size.obs, profile.critic.layers, 1)
    needed = memory(profile, size.obs, size.actions)
    return {
        "obs_size": size.obs,
        "actions": size.actions,
        "parameters": policy + critic,
        "policy_parameters": policy,
        "critic_parameters": critic,
        "policy_layers": list(profile.policy.layers),
        "critic_layers": list(profile.critic.layers),
        "memory_mb": needed.total,
        "shared_memory_mb": needed.shared,
        "blue": spec.blue,
        "orange": spec.orange,
        "workers": worker_count(profile),
        "arenas": profile.collect.arenas,
        "learning_rate": profile.ppo.learning_rate,
        "gamma_half_life_s": _finite(half_life(profile.ppo.gamma, profile.tick_skip)),
        "iteration": profile.ppo.iteration,
        "batch": profile.ppo.batch,
        "save_every": profile.save_every,
        "milestone_interval": profile.milestone_interval,
    }


def _finite(value: float) -> float | None:
    """JSON has no infinity: null."""
    return value if value < float("inf") else None
