"""Each reward against a slow twin: one car at a time, plain floats, written from the reference's words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.registry import BUILT_IN, Component, build
from rltui.sim.state import GameState
from tests.fakes.game_states import TEAM_SIZES, random_state

Vector = Sequence[float]
Twin = Callable[[GameState, GameState, int, int], float]  # previous state, state, arena, car


def touch(_: GameState, state: GameState, k: int, c: int) -> float:
    return 1.0 if state.touches[k, c] >= 1 else 0.0


def goal(_: GameState, state: GameState, k: int, c: int) -> float:
    scoring = {1: 0, -1: 1}.get(int(state.goal[k]))
    return 1.0 if scoring == state.team[c] else 0.0


def concede(_: GameState, state: GameState, k: int, c: int) -> float:
    conceding = {1: 1, -1: 0}.get(int(state.goal[k]))
    return 1.0 if conceding == state.team[c] else 0.0


def velocity_ball_to_goal(_: GameState, state: GameState, k: int, c: int) -> float:
    target = (0.0, 6000.0 if state.team[c] == 0 else -6000.0, 321.39)
    return _dot(state.ball_velocity[k], _direction(state.ball_position[k], target)) / 6000


def clipped_velocity_ball_to_floor(_: GameState, state: GameState, k: int, c: int) -> float:
    target = (0.0, 6000.0 if state.team[c] == 0 else -6000.0, 0.0)
    return max(0.0, _dot(state.ball_velocity[k], _direction(state.ball_position[k], target)) / 6000)


def speed_toward_ball(_: GameState, state: GameState, k: int, c: int) -> float:
    return max(0.0, _dot(state.velocity[k, c], _direction(state.position[k, c], state.ball_position[k]))) / 2300


def face_ball(_: GameState, state: GameState, k: int, c: int) -> float:
    return _dot(state.forward[k, c], _direction(state.position[k, c], state.ball_position[k]))


def strong_hit(previous: GameState, state: GameState, k: int, c: int, full_hit_speed: float = 2300) -> float:
    if not state.touches[k, c]:
        return 0.0
    change = math.dist(state.ball_velocity[k].tolist(), previous.ball_velocity[k].tolist())
    return math.sqrt(min(change / full_hit_speed, 1.0))


def soft_strong_hit(previous: GameState, state: GameState, k: int, c: int) -> float:
    return strong_hit(previous, state, k, c, full_hit_speed=9000)


def in_air(_: GameState, state: GameState, k: int, c: int) -> float:
    return 0.0 if state.on_ground[k, c] or state.demo_respawn_timer[k, c] > 0 else 1.0


CASES: list[tuple[str, dict[str, Any], Twin]] = [
    ("touch", {}, touch),
    ("goal", {}, goal),
    ("concede", {}, concede),
    ("velocity_ball_to_goal", {}, velocity_ball_to_goal),
    ("velocity_ball_to_goal", {"clip": True, "target_z": 0}, clipped_velocity_ball_to_floor),
    ("speed_toward_ball", {}, speed_toward_ball),
    ("face_ball", {}, face_ball),
    ("strong_hit", {}, strong_hit),
    ("strong_hit", {"full_hit_speed": 9000}, soft_strong_hit),
    ("in_air", {}, in_air),
    ("off_ground", {}, lambda previous, state, k, c: -in_air(previous, state, k, c)),
]


def test_every_registered_reward_has_a_twin() -> None:
    assert {name for name, _, _ in CASES} == set(BUILT_IN["reward"])


@pytest.mark.parametrize(("name", "options", "twin"), CASES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.sampled_from(TEAM_SIZES))
def test_equals_its_twin(name: str, options: dict[str, Any], twin: Twin, seed: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    states = [random_state(rng, 3, *sizes) for _ in range(3)]
    reward = build("reward", Component(name, options))
    reward.reset(states[0], np.ones(3, dtype=bool))
    for previous, state in pairwise(states):
        slow = [[twin(previous, state, k, c) for c in range(state.cars)] for k in range(3)]
        np.testing.assert_allclose(reward.value(state), slow, rtol=1e-5, atol=2e-6)


def _dot(a: Vector, b: Vector) -> float:
    return math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def _direction(start: Vector, end: Vector) -> list[float]:
    line = [float(e) - float(s) for s, e in zip(start, end, strict=True)]
    return [x / max(math.hypot(*line), 1e-9) for x in line]
