"""Rewards of what only the simulator knows, in scenes whose right answer is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.field import PAD_POSITIONS
from rltui.registry import BUILT_IN, Component, build
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.resets.mechanics import DribbleScene
from rltui.sim.resets.standard import KickoffReset, TurtledReset
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.batches import new_out, spec
from tests.fakes.collisions import ramming
from tests.fakes.tables import FULL_BOOST, IDLE, JUMP

ALL = np.ones(1, dtype=bool)
AWAY = (0.0, 4000.0, 93.15)
DASH = np.array(  # idle, jump, nose up in the air, flip forward, drive
    [
        [0] * 8,
        [0, 0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0.3, 0, 0, 0, 0, 0],
        [1, 0, -1, 0, 0, 1, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0],
    ],
    np.float32,
)
Choice = Callable[[GameState, int], list[int]]  # rows of the table in a state, at a step


def idle(state: GameState, step: int) -> list[int]:
    return [IDLE] * state.cars


def played(name: str, setup: ArenaSetup, choose: Choice, steps: int, arenas: ArenaBatch | None = None) -> np.ndarray:
    """Values [steps, cars] of a scene in one arena."""
    cars = len(setup.position)
    arenas = arenas or batch(teams=(1, cars - 1), contacts=True)
    arenas.reset([0], [setup])
    reward: Any = build("reward", Component(name))
    reward.reset(arenas.state, ALL)
    values = []
    for step in range(steps):
        arenas.step(np.array([choose(arenas.state, step)]))
        values.append(reward.value(arenas.state)[0].copy())
    return np.array(values)


def falling_on_ball(gap: float, speed: float, ball_z: float = 1000.0) -> ArenaSetup:
    """Wheels first, without a flip."""
    setup = flat_setup([(-10, 0, ball_z + gap)], ball=(0, 0, ball_z))
    setup.velocity[0, 2], setup.ball_velocity[2] = -speed, 100.0
    setup.flip_used = np.array([True])
    return setup


def test_wheels_on_the_ball_are_one_flip_reset_whatever_tick_they_touch_in(subtests: pytest.Subtests) -> None:
    for gap in range(115, 180, 8):
        for speed in (200.0, 1000.0):
            with subtests.test(gap=gap, speed=speed):
                values = played("flip_reset", falling_on_ball(gap, speed), idle, 8)
                assert values[values > 0].tolist() == [1]


def test_wheels_on_the_floor_are_no_flip_reset() -> None:
    setup = falling_on_ball(0, 1000.0)
    setup.position[0] = -500, 0, 300
    assert not played("flip_reset", setup, idle, 60).any()


def dashing(height: float) -> Choice:
    """Jump from rest, nose up, and flip forward when falling below a height."""

    def choose(state: GameState, step: int) -> list[int]:
        z, falling = state.position[0, 0, 2], state.velocity[0, 0, 2] < 0
        if step == 0:
            return [1]
        if falling and z < height and not state.on_ground[0, 0] and not state.has_flipped[0, 0]:
            return [3]
        return [4 if state.on_ground[0, 0] and step > 8 else 2 if step < 6 else 0]

    return choose


def test_a_flip_just_before_the_wheels_land_is_a_wavedash(subtests: pytest.Subtests) -> None:
    """From below 40 uu the flip begins and ends within a step."""
    for height in (29.0, 32.0, 36.0, 40.0, 45.0, 50.0):
        with subtests.test(height=height):
            values = played("wavedash", flat_setup([(0, 0, 17)], AWAY), dashing(height), 30, batch(rows=DASH))
            assert values[values > 0].tolist() == [1]


def test_a_landing_without_a_flip_is_no_wavedash() -> None:
    values = played("wavedash", flat_setup([(0, 0, 17)], AWAY), dashing(-1.0), 30, batch(rows=DASH))
    assert not values.any()


def test_a_jump_pays_one_landing() -> None:
    values = played(
        "recovery_and_landing", flat_setup([(0, 0, 17)], AWAY), lambda _, step: [JUMP if step == 0 else IDLE], 30
    )
    assert values[values > 1].tolist() == pytest.approx([1.2])
    assert values.min() == 0 and 0.2 < values[5, 0] < 0.35  # upright in the air


def test_a_fall_on_the_roof_costs_and_lying_there_too() -> None:
    setup = flat_setup([(0, 0, 300)], AWAY)
    setup.rotation[0] = np.diag([1.0, -1.0, -1.0])
    values = played("recovery_and_landing", setup, idle, 40)[:, 0]
    assert values.min() == pytest.approx(-1.0, abs=1e-3)
    assert values[-1] == pytest.approx(-0.3, abs=1e-3)
    assert played("bad_orientation", setup, idle, 40)[-1, 0] == pytest.approx(-0.3)


def test_a_start_on_the_roof_costs_no_landing_and_righting_pays_one() -> None:
    setup = TurtledReset(TurtledReset.Params(roll=0.0, spin=0.0)).sample(np.random.default_rng(0), 1, 0)
    values = played("recovery_and_landing", setup, lambda _, step: [JUMP if step == 4 else IDLE], 30)[:, 0]
    assert values.min() > -0.35
    assert values[values > 1].tolist() == pytest.approx([1.2])


def test_a_demolition_has_two_sides_and_no_reward_for_the_respawn() -> None:

    def choose(_: GameState, step: int) -> list[int]:
        return [FULL_BOOST if step < 12 else IDLE, IDLE]

    assert played("demo", ramming(), choose, 15).sum(axis=0).tolist() == [1, 0]
    assert played("demoed", ramming(), choose, 15).sum(axis=0).tolist() == [0, 1]
    assert not played("recovery_and_landing", ramming(), choose, 70)[:, 1].any()


def test_the_first_touch_of_a_kickoff_is_the_faster_cars() -> None:
    setup = KickoffReset(KickoffReset.Params()).sample(np.random.default_rng(0), 1, 1)
    to_ball = -setup.position / np.linalg.norm(setup.position, axis=1, keepdims=True)
    setup.rotation[:] = [np.stack([f, np.cross((0, 0, 1), f), (0, 0, 1)], axis=1) for f in to_ball * [1, 1, 0]]
    values = played("kickoff_first_touch", setup, lambda state, _: [FULL_BOOST, IDLE], 60)
    assert values.sum(axis=0).tolist() == [1, 0]


def test_a_pad_pays_by_its_kind_and_by_what_it_gave(subtests: pytest.Subtests) -> None:
    for pad, boost, small_and_big in ((0, 0, 1.0), (0, 94, 0.5), (0, 100, 0), (3, 0, 0.3), (3, 50, 0.15)):
        with subtests.test(pad=pad, boost=boost, small_and_big=small_and_big):
            x, y, _ = PAD_POSITIONS[pad]
            setup = flat_setup([(x, y, 17)], (0, 4000, 93.15))
            setup.boost[0] = boost
            assert played("collect_boost", setup, idle, 3).sum() == pytest.approx(small_and_big, abs=1e-3)


def test_a_ball_on_the_roof_is_a_dribble_from_the_first_step() -> None:
    setup = DribbleScene(DribbleScene.Params()).sample(np.random.default_rng(1), 1, 0)
    assert played("dribble", setup, idle, 3).tolist() == [[1]] * 3
    beside = flat_setup([(0, 0, 17)], (0, 140, 93.15))
    assert not played("dribble", beside, idle, 3).any()


def test_a_jump_into_a_high_ball_is_a_jump_shot() -> None:
    setup = flat_setup([(0, 0, 17)], ball=(20, 0, 300))
    values = played("jump_shot", setup, lambda _, step: [JUMP if step < 3 else IDLE], 10)
    paid = values[values > 0] * 2044
    assert len(paid) and ((paid > 250) & (paid < 300)).all()


def test_all_rewards_together_in_the_environment() -> None:
    """Contacts are read because one of them asks, and every term is a number."""
    rewards = tuple(Weighted(Component(name), 1.0) for name in BUILT_IN["reward"])
    env = SoccarBatch(spec(2, 1, rewards=rewards), arenas=4, seed=[0])
    out, rng = new_out(env), np.random.default_rng(0)
    env.reset(out)
    for _ in range(60):
        env.step(rng.integers(0, env.action_spec.outputs, (4, 3)), out)
        assert np.isfinite(out.rewards).all()
    assert out.rewards.any()
