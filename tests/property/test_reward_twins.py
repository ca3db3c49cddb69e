"""Each reward against a slow twin on random rollouts with episodes that start in the midst of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.registry import BUILT_IN, Component, build
from rltui.sim.state import GameState
from tests.fakes import reward_twins as now
from tests.fakes import reward_twins_of_memory as memory
from tests.fakes.every import every
from tests.fakes.game_states import TEAM_SIZES
from tests.fakes.reward_twins import Twin, of_state
from tests.fakes.scrimmage import scrimmage

ARENAS, STEPS = 3, 6
FLOOR: dict[str, Any] = {"target_z": 0}
CASES: list[tuple[str, dict[str, Any], Twin]] = [
    ("touch", {}, of_state(now.touch)),
    ("goal", {}, of_state(now.goal)),
    ("concede", {}, of_state(now.concede)),
    ("scorer", {}, of_state(now.scorer)),
    ("shot", {}, of_state(lambda state, k, c: float(state.shots[k, c]))),
    ("save", {}, of_state(lambda state, k, c: float(state.saves[k, c]))),
    ("demo", {}, of_state(lambda state, k, c: float(state.demos[k, c]))),
    ("demoed", {}, of_state(lambda state, k, c: float(state.demoed[k, c]))),
    ("boost_pickup", {}, of_state(now.boost_pickup)),
    ("kickoff_first_touch", {}, memory.kickoff_first_touch),
    ("velocity_ball_to_goal", {}, of_state(now.velocity_ball_to_goal)),
    ("velocity_ball_to_goal", {"clip": True} | FLOOR, of_state(now.clipped_velocity_ball_to_floor)),
    ("speed_toward_ball", {}, of_state(now.speed_toward_ball)),
    ("velocity_player_to_ball", {}, of_state(now.velocity_player_to_ball)),
    ("face_ball", {}, of_state(now.face_ball)),
    ("strong_hit", {}, memory.strong_hit),
    ("strong_hit", {"full_hit_speed": 9000}, memory.soft_strong_hit),
    ("in_air", {}, of_state(now.in_air)),
    ("off_ground", {}, of_state(now.off_ground)),
    ("jump_shot", {}, memory.jump_shot),
    ("air_touch", {}, of_state(now.air_touch)),
    ("basic_shot", {}, of_state(now.basic_shot)),
    ("basic_shot", {"clip": True} | FLOOR, of_state(now.basic_shot_at_the_floor)),
    ("basic_aerial", {}, memory.basic_aerial),
    ("negative_velocity_own_goal", {}, of_state(now.negative_velocity_own_goal)),
    ("negative_velocity_own_goal", FLOOR, of_state(partial(now.negative_velocity_own_goal, z=0))),
    ("clear", {}, of_state(now.clear)),
    ("clear", FLOOR, of_state(partial(now.clear, z=0))),
    ("liu_distance_ball_to_goal", {}, of_state(now.liu_distance_ball_to_goal)),
    ("liu_distance_ball_to_goal", FLOOR, of_state(partial(now.liu_distance_ball_to_goal, z=0))),
    ("liu_distance_player_to_ball", {}, of_state(now.liu_distance_player_to_ball)),
    ("recovery_and_landing", {}, memory.recovery_and_landing),
    ("bad_orientation", {}, of_state(now.bad_orientation)),
    ("save_boost", {}, of_state(now.save_boost)),
    ("collect_boost", {}, of_state(now.collect_boost)),
    ("collect_boost", {"small": 0.0, "big": 2.0}, of_state(now.collect_big_boost)),
    ("steal_boost", {}, of_state(now.steal_boost)),
    ("align_ball_goal", {}, of_state(now.align_ball_goal)),
    ("align_ball_goal", FLOOR, of_state(partial(now.align_ball_goal, z=0))),
    ("possession", {}, of_state(now.possession)),
    ("offside", {}, of_state(now.offside)),
    ("in_net", {}, of_state(now.in_net)),
    ("flip_reset", {}, memory.flip_reset),
    ("wavedash", {}, memory.wavedash),
    ("wavedash", {"gain": 700}, memory.strong_wavedash),
    ("dribble", {}, of_state(now.dribble)),
]


def test_every_registered_reward_has_a_twin() -> None:
    assert {name for name, _, _ in CASES} == set(BUILT_IN["reward"])


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
            if build("reward", Component(name)).sign == 0 and not options.get("clip"):
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
