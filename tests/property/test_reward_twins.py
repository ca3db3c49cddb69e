"""Each reward that looks back against a slow twin on random rollouts with episodes that start in the midst of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.registry import BUILT_IN, Component, build, resolve
from rltui.rewards.base import Reward
from rltui.sim.state import GameState
from tests.fakes import reward_twins as twins
from tests.fakes.every import every
from tests.fakes.game_states import TEAM_SIZES
from tests.fakes.scrimmage import scrimmage

ARENAS, STEPS = 3, 6
Twin = Callable[[Sequence[GameState], int, int], float]  # states of the episode, arena, car
CASES: list[tuple[str, dict[str, Any], Twin]] = [
    ("kickoff_first_touch", {}, twins.kickoff_first_touch),
    ("strong_hit", {}, twins.strong_hit),
    ("strong_hit", {"full_hit_speed": 9000}, twins.soft_strong_hit),
    ("jump_shot", {}, twins.jump_shot),
    ("basic_aerial", {}, twins.basic_aerial),
    ("recovery_and_landing", {}, twins.recovery_and_landing),
    ("flip_reset", {}, twins.flip_reset),
    ("wavedash", {}, twins.wavedash),
    ("wavedash", {"gain": 700}, twins.strong_wavedash),
]


def test_every_reward_that_looks_back_has_a_twin() -> None:
    looking_back = {name for name in BUILT_IN["reward"] if resolve("reward", name).reset is not Reward.reset}
    assert {name for name, _, _ in CASES} == looking_back


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES))
def test_each_reward_equals_its_twin(seed: int, sizes: tuple[int, int]) -> None:
    played = rollout(np.random.default_rng(seed), sizes)
    every(CASES, lambda case: compare(*case, played))


def test_the_rollouts_show_what_each_reward_pays_for(subtests: pytest.Subtests) -> None:
    """A twin of a reward that never pays would agree with anything."""
    rng = np.random.default_rng(0)
    rollouts = [rollout(rng, (2, 3)) for _ in range(16)]
    for name, options, twin in CASES:
        with subtests.test(name=name, options=options):
            values = np.concatenate([compare(name, options, twin, played) for played in rollouts])
            assert np.count_nonzero(values) > 5
            if build("reward", Component(name)).sign == 0:
                assert values.min() < 0 < values.max()


@dataclass(frozen=True)
class Rollout:
    """starts: after each step, the arenas that begin an episode (mask [K]) and its first state."""

    states: list[GameState]
    starts: list[tuple[np.ndarray[Any, Any], GameState]]


def rollout(rng: np.random.Generator, sizes: tuple[int, int]) -> Rollout:
    """A third of the arenas begin an episode after each step."""
    states = scrimmage(rng, ARENAS, sizes, STEPS)
    starts = []
    for _ in states[1:]:
        arenas = rng.random(ARENAS) < 1 / 3
        starts.append((arenas, replace(scrimmage(rng, ARENAS, sizes, 1)[0], tick=np.zeros(ARENAS, np.int64))))
    return Rollout(states, starts)


def compare(name: str, options: dict[str, Any], twin: Twin, played: Rollout) -> np.ndarray[Any, Any]:
    """Each step of the rollout. Returns the values [steps, K, C]."""
    first, *rest = played.states
    reward = build("reward", Component(name, options))
    reward.reset(first, np.ones(ARENAS, dtype=bool))
    episodes: list[list[GameState]] = [[first] for _ in range(ARENAS)]
    values = []
    for state, (arenas, start) in zip(rest, played.starts, strict=True):
        for episode in episodes:
            episode.append(state)
        values.append(reward.value(state).copy())
        slow = [[twin(episodes[k], k, c) for c in range(state.cars)] for k in range(ARENAS)]
        np.testing.assert_allclose(values[-1], slow, rtol=1e-5, atol=2e-6)
        reward.reset(start, arenas)
        for k in np.flatnonzero(arenas):
            episodes[k] = [start]
    return np.stack(values)
