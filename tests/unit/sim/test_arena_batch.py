"""ArenaBatch: the delay of actions, the flags of a new state, touches, goals; and that reset means reset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import RocketSim

from rltui.actions.rlgym import FULL_BOOST, IDLE, JUMP
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.resets.standard import KickoffReset, RandomReset
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import ROWS, batch, flat_setup

AWAY = (0.0, 4000.0, 93.15)


def play(arenas: ArenaBatch, row: int, steps: int = 1) -> GameState:
    for _ in range(steps):
        arenas.step(np.full((arenas.state.arenas, arenas.state.cars), row))
    return arenas.state


def everything(state: GameState) -> list[bytes]:
    """All that a state holds, bit for bit."""
    return [np.asarray(getattr(state, name)).tobytes() for name in GameState.__slots__]


def test_height_after_one_step_of_a_jump(subtests: pytest.Subtests) -> None:
    """Public figures of RLGym's two engines, with rlbot_delay and without."""
    for delay, height in ((1, 34.81), (0, 37.53)):
        with subtests.test(delay=delay, height=height):
            arenas = batch(teams=(1, 1), pace=Pace(8, delay))
            arenas.reset([0], [KickoffReset(KickoffReset.Params()).sample(np.random.default_rng(0), 1, 1)])
            assert play(arenas, JUMP).position[0, :, 2] == pytest.approx([height, height], abs=0.005)


def slow_twin(setup: ArenaSetup, actions: list[int], pace: Pace) -> Any:
    """One car, tick by tick, as RLGym's engine does it: step one tick, then set the controls of the next."""
    arenas = batch(pace=pace)
    arenas.reset([0], [setup])
    arena, car = arenas._arenas[0].arena, arenas._arenas[0].cars[0]
    for action in actions:
        throttle, steer, pitch, yaw, roll, jump, boost, handbrake = ROWS[action].tolist()
        for tick in range(pace.tick_skip + 1):
            if tick == pace.delay:
                controls = RocketSim.CarControls()
                controls.throttle, controls.steer, controls.pitch = throttle, steer, pitch
                controls.yaw, controls.roll = yaw, roll
                controls.jump, controls.boost, controls.handbrake = bool(jump), bool(boost), bool(handbrake)
                car.set_controls(controls)
            if tick < pace.tick_skip:
                arena.step(1)
    return car.get_state()


def test_any_delay_equals_single_ticks_bit_for_bit(subtests: pytest.Subtests) -> None:
    for pace in (Pace(8, 0), Pace(8, 1), Pace(8, 3), Pace(8, 8), Pace(4, 1), Pace(1, 0), Pace(1, 1)):
        with subtests.test(pace=pace):
            rng = np.random.default_rng(2)
            setup = RandomReset(RandomReset.Params()).sample(rng, 1, 0)
            actions = rng.integers(0, len(ROWS), 60).tolist()
            arenas = batch(pace=pace)
            arenas.reset([0], [setup])
            for action in actions:
                arenas.step(np.array([[action]]))
            expected, state = slow_twin(setup, actions, pace), arenas.state
            assert tuple(state.position[0, 0].tolist()) == expected.pos.as_tuple()
            assert tuple(state.velocity[0, 0].tolist()) == expected.vel.as_tuple()
            assert state.boost[0, 0] == expected.boost
            assert state.is_holding_jump[0, 0] == expected.last_controls.jump
            assert state.tick[0] == 60 * pace.tick_skip


def test_a_car_set_in_the_air_is_not_on_the_ground_and_has_its_flip() -> None:
    arenas = batch()
    arenas.reset([0], [flat_setup([(0, 0, 800)], ball=AWAY)])
    state = arenas.state
    assert not state.on_ground.any() and state.can_flip.all() and not state.has_jumped.any()
    assert state.position[0, 0].tolist() == [0, 0, 800]
    play(arenas, IDLE, steps=20)  # 1.33 s: without a jump there is no time limit
    assert not state.on_ground.any() and state.can_flip.all()
    play(arenas, JUMP)
    assert state.has_double_jumped.all() and not state.can_flip.any()


def test_a_car_set_on_the_ground_is_on_the_ground() -> None:
    arenas = batch()
    arenas.reset([0], [flat_setup([(0, 0, 17)], ball=AWAY)])
    assert arenas.state.on_ground.all() and not arenas.state.can_flip.any()


def test_the_goal_line(subtests: pytest.Subtests) -> None:
    for y, goal in ((5215.0, 0), (5216.0, 1), (-5215.0, 0), (-5216.0, -1)):
        with subtests.test(y=y, goal=goal):
            arenas = batch()
            setup = flat_setup([(0, 0, 17)], ball=(0, y, 400))
            arenas.reset([0], [setup])
            assert arenas.state.goal.tolist() == [goal]


def test_a_resting_ball_falls_except_at_a_kickoff() -> None:
    arenas = batch(arenas=2)
    hanging = flat_setup([(2000, 0, 17)], ball=(0, 0, 500))
    kickoff = flat_setup([(2000, 0, 17)], ball=(0, 0, 500))
    kickoff.kickoff = True
    arenas.reset([0, 1], [hanging, kickoff])
    assert arenas.state.ball_velocity[:, 2].tolist() == pytest.approx([-0.01, 0.0])
    play(arenas, IDLE, steps=5)
    assert arenas.state.ball_position[0, 2] < 480.0
    assert arenas.state.ball_position[1, 2] == 500.0


def test_touches_are_counted_for_the_car_that_touches_and_remembered() -> None:
    arenas = batch(teams=(1, 1))
    setup = flat_setup([(-3000, 0, 17), (-250, 0, 17)])
    setup.velocity[1, 0] = 1000.0
    arenas.reset([0], [setup])
    state = arenas.state
    assert state.last_toucher.tolist() == [-1] and state.last_touch_tick.tolist() == [0]
    while not state.touches.any():
        assert state.last_toucher.tolist() == [-1]
        play(arenas, IDLE)
        assert state.tick[0] < 120
    assert state.touches[0, 1] >= 1 and state.touches[0, 0] == 0
    assert state.last_toucher.tolist() == [1] and state.last_touch_tick.tolist() == state.tick.tolist()
    touched = state.tick.tolist()
    play(arenas, IDLE, steps=30)
    assert not state.touches.any() and state.last_touch_tick.tolist() == touched and state.last_toucher[0] == 1
    arenas.reset([0], [setup])
    assert state.last_toucher.tolist() == [-1] and state.last_touch_tick.tolist() == [0] == state.tick.tolist()


def test_the_cursor_shows_the_arena_and_the_order_is_kept() -> None:
    cursor = np.full(1, -1)
    arenas = ArenaBatch([np.random.default_rng(i) for i in range(3)], (1, 0), ROWS, Pace(), cursor)
    arenas.reset(range(3), [flat_setup([(100.0 * i, 0, 17)], ball=AWAY) for i in range(3)])
    seen = []
    for arena in arenas._arenas:
        arena.arena.set_ball_touch_callback(lambda **_: seen.append(int(cursor[0])))
        ball = arena.arena.ball.get_state()
        ball.pos = RocketSim.Vec(float(arena.cars[0].get_state().pos.x), 0.0, 120.0)
        arena.arena.ball.set_state(ball)
    play(arenas, IDLE)
    assert sorted(set(seen)) == [0, 1, 2] and seen == sorted(seen)


def crowd(seed: int) -> ArenaSetup:
    """Six cars in a ring that all drive at the ball: whatever depends on order shows in their collisions."""
    rng = np.random.default_rng(seed)
    angles = np.arange(6) * np.pi / 3 + rng.uniform(-0.2, 0.2, 6)
    setup = flat_setup([(900 * np.cos(a), 900 * np.sin(a), 17) for a in angles], ball=(0, 0, 93.15))
    inwards = np.stack([-np.cos(angles), -np.sin(angles), np.zeros(6)], axis=1)
    up = np.tile([0.0, 0.0, 1.0], (6, 1))
    setup.rotation = np.stack([inwards, np.cross(up, inwards), up], axis=2).astype(np.float32)
    return setup


def course(arenas: ArenaBatch, setup: ArenaSetup, steps: int = 90) -> list[list[bytes]]:
    """The whole states of an episode of fixed pseudo-random actions; respawns drawn anew from a fixed seed."""
    arenas._arenas[0]._generator = np.random.default_rng(5)
    arenas.reset([0], [setup])
    rng = np.random.default_rng(1)
    course = [everything(arenas.state)]
    for _ in range(steps):
        actions = rng.integers(0, len(ROWS), (1, arenas.state.cars))
        actions[rng.random(actions.shape) < 0.6] = FULL_BOOST
        arenas.step(actions)
        course.append(everything(arenas.state))
    return course


def test_a_used_arena_equals_a_fresh_one_bit_for_bit(subtests: pytest.Subtests) -> None:
    """Also after an odd and after an even number of resets: the order in which cars are removed decides."""
    for teams in ((1, 1), (3, 3), (1, 2)):
        with subtests.test(teams=teams):
            setup = (
                crowd(0)
                if teams == (3, 3)
                else RandomReset(RandomReset.Params()).sample(np.random.default_rng(4), *teams)
            )
            fresh = course(batch(teams=teams), setup)
            used = batch(teams=teams)
            for number in range(4):
                other = RandomReset(RandomReset.Params()).sample(np.random.default_rng(number), *teams)
                course(used, crowd(number) if teams == (3, 3) else other, steps=30)
                assert course(used, setup) == fresh, f"after {2 * number + 1} resets"


def test_stepping_before_the_first_reset_is_refused() -> None:
    with pytest.raises(RuntimeError, match="reset comes before"):
        play(batch(), IDLE)
