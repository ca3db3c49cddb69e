"""`auto`, sizes of nets, and the memory estimate, against arithmetic by hand."""

from __future__ import annotations

import os
from math import ceil

import pytest

from rltui.profile import resolved
from rltui.profile.load import load
from rltui.train.config import ResolvedConfig


def test_parameter_count() -> None:
    assert resolved.parameter_count(92, (256, 256), 90) == 93 * 256 + 257 * 256 + 257 * 90
    assert resolved.parameter_count(3, (), 2) == 8


def test_auto_is_one_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = load("quick")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert (resolved.worker_count(profile), resolved.thread_count(profile)) == (3, 3)
    fixed = load("quick", ["collect.workers=7", "learner.threads=2"])
    assert (resolved.worker_count(fixed), resolved.thread_count(fixed)) == (7, 2)


def test_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert resolved.cores() == 1


def test_steps_per_rollout_reach_the_iteration() -> None:
    profile = load("quick", ["collect.workers=2", "collect.arenas=16", "ppo.iteration=5_000"])
    assert resolved.steps_per_rollout(profile) == 79  # 5,000 / (2 × 16 × 2) = 78.1


def test_shared_memory() -> None:
    profile = load(
        "quick", ["collect.workers=2", "collect.arenas=16", "ppo.iteration=6_400", "ppo.buffer_iterations=2"]
    )
    needed = resolved.estimate_memory(profile, 92, 90)
    steps = 2 * 16 * 2 * 100 * 2  # agents × steps × two blocks
    weights = 93 * 128 + 129 * 128 + 129 * 90
    assert needed.shared == ceil((steps * (1.01 * (92 * 4 + 2) + 26 + 92 / 4) + 4 * weights) / 1_000_000)
    assert needed.total > needed.shared + 350 + 2 * 60


def test_the_estimate_of_shared_memory_is_what_a_run_reserves(subtests: pytest.Subtests) -> None:
    """Whoever evaluates the policy, and however many workers `auto` makes of that."""
    for inference in ("local", "central"):
        for workers in ("1", "4", "auto"):
            with subtests.test(inference=inference, workers=workers):
                sets = [f"collect.inference={inference}", f"collect.workers={workers}", "learner.device=cpu"]
                sets += ["collect.arenas=64", "ppo.iteration=500_000", "collect.overlap=true"]
                profile = load("gpu", sets)
                shape = ResolvedConfig.resolve(profile).shape
                told = resolved.estimate_memory(profile, shape.obs_size, shape.actions.outputs).shared
                assert told == pytest.approx(shape.expected_bytes / 1e6, rel=0.01)
