"""What `rltui profile check` finds out about one profile, as plain data: the launcher reads it as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rltui.debug.soundness import Fault, faults
from rltui.env.from_profile import env_spec, reward_warnings, signature, sizes
from rltui.env.obs_trial import obs_warnings
from rltui.env.spec import EnvSpec
from rltui.profile.advice import advice, half_life
from rltui.profile.lessons import lesson, lessons
from rltui.profile.load import Reading, read, read_text
from rltui.profile.machine import memory, parameter_count, worker_count
from rltui.profile.models import Profile
from rltui.profile.problems import Problem, show_key
from rltui.profile.resolved import digest
from rltui.profile.source import Source, read_source, source_of
from rltui.profile.sources import source_hashes


def report(argument: str, overrides: Sequence[str] = (), force: bool = False) -> dict[str, Any]:
    """valid; errors {file, line, key, message, expected, found, hint}; forcible: --force would pass over all of them;
    warnings; signature and summary, null where the profile cannot be read that far.
    """
    reading = read(argument, overrides)
    return _report(argument, reading, None, force)


def report_text(raw: bytes, path: str, force: bool = False) -> dict[str, Any]:
    """Of a text that may become that file."""
    return _report(path, read_text(raw, Path(path)), raw, force)


def _report(argument: str, reading: Reading, raw: bytes | None, force: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "profile": argument,
        "name": reading.path.stem if reading.path else argument,
        "path": str(reading.path) if reading.path else None,
        "valid": reading.profile is not None,
        "forcible": False,
        "errors": [problem.as_dict() for problem in reading.problems],
        "warnings": list(reading.notices),
        "signature": None,
        "summary": None,
    }
    if reading.profile is not None:
        found |= _of_valid(reading.profile, reading) | _tried(reading.profile, reading, raw, force)
        said = {error["message"] for error in found["errors"]}
        found["warnings"] = [warning for warning in found["warnings"] if warning not in said]
    return found


def _of_valid(profile: Profile, reading: Reading) -> dict[str, Any]:
    first = lesson(profile)
    spec = env_spec(first)
    return {
        "warnings": [*reading.notices, *advice(profile), *_of_components(profile)],
        "signature": msgspec.to_builtins(signature(first, spec)),
        "summary": {
            **_texts(first),
            "hash": digest(profile),
            "sources": source_hashes(profile),
            "phases": _phases(profile),
            **_figures(first, spec),
        },
    }


def _tried(profile: Profile, reading: Reading, raw: bytes | None, force: bool) -> dict[str, Any]:
    """What its parts did when tried."""
    found = faults(profile, reading.argument)
    if not found:
        return {}
    if force:
        return {"warnings": [fault.message for fault in found]}
    path = reading.path or Path(reading.argument)
    source = read_source(path, str(path)) if raw is None else source_of(raw, str(path))
    problems = [_problem(fault, source) for fault in found]
    return {"valid": False, "forcible": True, "errors": [problem.as_dict() for problem in problems]}


def _problem(fault: Fault, source: Source) -> Problem:
    """On the line of the key; a component of one's own goes by its absolute path here, and by another in the file."""
    line = source.lines.nearest(fault.path)
    named = Problem(source.file, line, show_key(fault.path), fault.message)
    return replace(named, hint=f"see everything: rltui {fault.hint}") if fault.hint else named


def _of_components(profile: Profile) -> list[str]:
    """Of every phase's and stage's observation and rewards, each sentence once."""
    specs = [env_spec(taught) for taught in lessons(profile)]
    return list(dict.fromkeys(said for spec in specs for said in (*obs_warnings(spec), *reward_warnings(spec))))


def _phases(profile: Profile) -> list[dict[str, Any]]:
    """Of a campaign: what each phase pays, and when the next one begins."""
    return [
        {
            "profile": phase.name,
            "label": phase.label,
            "learning_rate": phase.ppo.learning_rate,
            "rewards": {name: section.weight for name, section in phase.rewards.items()},
            "until": entry.until,
            "min_steps": entry.min_steps,
            "max_steps": entry.max_steps,
        }
        for entry, phase in zip(profile.curriculum.phases, profile.phases, strict=True)
    ]


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
        "epochs": profile.ppo.epochs,
        "save_every": profile.save_every,
        "milestone_interval": profile.milestone_interval,
    }


def _finite(value: float) -> float | None:
    """JSON has no infinity: null."""
    return value if value < float("inf") else None
