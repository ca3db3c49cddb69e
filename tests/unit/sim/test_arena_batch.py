"""ArenaBatch: delay of actions, controls, flags of a new state, touches, contacts, demolition; reset means reset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import RocketSim
from rlgym.rocket_league.sim import RocketSimEngine

from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.sim.arena_batch import ArenaBatch, Cursor, Pace
from rltui.sim.resets.standard import KickoffReset, RandomReset
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import ROWS, batch, fill_rlgym_state, flat_setup
from tests.fakes.collisions import FAR, rammed, ramming
from tests.fakes.tables import FULL_BOOST, IDLE, JUMP

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
    arenas = ArenaBatch([np.random.default_rng(i) for i in range(3)], (1, 0), ROWS, Pace(), Cursor(cursor))
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
    """Also after an odd and after an even number of resets: the order in which cars are removed decides. With several cars a
    team the fresh one is the same arena before, for there contacts are ordered by memory address.
    """
    for teams in ((1, 1), (3, 3), (1, 2)):
        with subtests.test(teams=teams):
            setup = (
                crowd(0)
                if teams == (3, 3)
                else RandomReset(RandomReset.Params()).sample(np.random.default_rng(4), *teams)
            )
            used = batch(teams=teams)
            fresh = course(batch(teams=teams) if max(teams) == 1 else used, setup)
            for number in range(4):
                other = RandomReset(RandomReset.Params()).sample(np.random.default_rng(number), *teams)
                course(used, crowd(number) if teams == (3, 3) else other, steps=30)
                assert course(used, setup) == fresh, f"after {2 * number + 1} resets"


def test_stepping_before_the_first_reset_is_refused() -> None:
    with pytest.raises(RuntimeError, match="reset comes before"):
        play(batch(), IDLE)


NO_CONTROLS = (0.0,) * 8
GROUND, AIR = (0.0, 0.0, 17.0), (0.0, 0.0, 900.0)


def only(**controls: float) -> np.ndarray:
    """An idle row and one with these controls."""
    return np.array([NO_CONTROLS, [controls.get(name, 0.0) for name in CONTROLS]], np.float32)


def after(rows: np.ndarray, place: tuple[float, float, float], row: int = 1, speed: float = 0.0) -> GameState:
    """A car that looks along +x, with +y on its right, after four steps of one row."""
    arena = batch(rows=rows)
    setup = flat_setup([place], ball=(0, 3000, 93.15))
    setup.velocity[:, 0] = speed
    arena.reset([0], [setup])
    for _ in range(4):
        arena.step(np.array([[row]]))
    return arena.state


def test_a_jump_in_the_air_is_a_double_jump_and_with_pitch_a_flip() -> None:
    assert after(only(jump=1.0), AIR).has_double_jumped.all()
    flip = after(only(jump=1.0, pitch=-1.0), AIR)
    assert flip.has_flipped.all() and flip.is_flipping.all() and not flip.has_double_jumped.any()
    assert flip.velocity[0, 0, 0] == pytest.approx(500.0, abs=1.0)


def test_the_state_shows_the_controls_that_were_chosen() -> None:
    row = [0.5, -0.5, 0.25, -0.25, 0.75, 1.0, 0.0, 1.0]
    arena = batch(rows=np.array([NO_CONTROLS, row], np.float32))
    arena.reset([0], [flat_setup([GROUND])])
    assert not arena.state.previous_actions.any()
    arena.step(np.array([[1]]))
    assert arena.state.previous_actions.tolist() == [[row]]
    arena.reset([0], [flat_setup([GROUND])])
    assert not arena.state.previous_actions.any()


def lying(z: float = 60.0) -> ArenaBatch:
    """A car on its roof beside one on its wheels."""
    arenas = batch(teams=(1, 1), contacts=True)
    setup = flat_setup([(0, 0, z), (500, 0, 17)], ball=FAR)
    setup.rotation[0] = np.diag([1.0, -1.0, -1.0])
    arenas.reset([0], [setup])
    return arenas


def test_a_car_on_its_roof_lies_on_the_floor_and_one_on_its_wheels_does_not() -> None:
    arenas = lying()
    state = arenas.state
    assert state.contacts.wheels.tolist() == [[0, 4]] and not state.contacts.normal.any()  # until the first tick
    for _ in range(15):
        arenas.step(np.array([[IDLE, IDLE]]))
    assert state.position[0, 0, 2] == pytest.approx(39.6, abs=0.1) and state.up[0, 0, 2] == pytest.approx(-1, abs=1e-3)
    assert state.contacts.wheels.tolist() == [[0, 4]]
    assert state.contacts.normal.tolist() == [[[0, 0, 1], [0, 0, 0]]]
    assert state.world_contact.tolist() == [[True, False]] and state.on_ground.tolist() == [[False, True]]
    assert arenas.contact(0, 0) == (0, (0, 0, 1)) and arenas.contact(0, 1) == (4, (0, 0, 0))


def test_the_normal_goes_with_the_contact() -> None:
    """The simulator keeps it after the car has left the floor."""
    arenas = lying()
    for _ in range(15):
        arenas.step(np.array([[IDLE, IDLE]]))
    car = arenas._arenas[0].cars[0]
    state = car.get_state()
    state.pos.z = 500.0
    car.set_state(state)
    arenas.step(np.array([[IDLE, IDLE]]))
    assert car.get_state().world_contact_normal.z == 1
    assert not arenas.state.contacts.normal.any() and arenas.contact(0, 0) == (0, (0, 0, 0))


def test_a_demolished_car_touches_nothing() -> None:
    arenas, _ = rammed()
    assert arenas._arenas[0].cars[1].get_state().is_on_ground
    assert arenas.contact(0, 1) == (0, (0, 0, 0)) and not arenas.state.world_contact[0, 1]


def test_contacts_are_read_only_where_they_are_asked_for() -> None:
    with pytest.raises(RltuiError, match="contacts is not read here"):
        _ = batch().state.contacts


def test_as_rlgym_has_it_until_the_respawn(subtests: pytest.Subtests) -> None:
    """Orange presses jump for one step around that of the demolition: which press is still seen depends on ticks."""
    for pressed in (0, -1, -2, 1):
        with subtests.test(pressed=pressed):
            _, hit = rammed()
            arenas = batch(teams=(1, 1))
            arenas.reset([0], [ramming()])
            game: Any = RocketSimEngine()
            wanted = game.create_base_state()
            fill_rlgym_state(wanted, ramming(), 1, 1)
            game.set_state(wanted, {})
            for step in range(hit + 40):
                orange = JUMP if step == hit + pressed else IDLE
                arenas.step(np.array([[FULL_BOOST, orange]]))
                judge = game.step({"blue-0": ROWS[[FULL_BOOST] * 8], "orange-0": ROWS[[orange] * 8]}, {})
                for index, car in enumerate(judge.cars.values()):
                    state = arenas.state
                    assert state.position[0, index].tolist() == car.physics.position.tolist()
                    assert state.demo_respawn_timer[0, index] == np.float32(car.demo_respawn_timer)
                    assert state.is_holding_jump[0, index] == car.is_holding_jump
                    assert state.on_ground[0, index] == car.on_ground
            assert (state.demo_respawn_timer[0, 1] > 0.2) == (pressed >= -1)  # two steps suffice to jump out of the way


def places_after_respawn(seed: int) -> tuple[int, list[float]]:
    arenas, _ = rammed(seed)
    for step in range(60):
        arenas.step(np.array([[IDLE, IDLE]]))
        if not arenas.state.demo_respawn_timer.any():
            return step, arenas.state.position[0, 1].tolist()
    raise AssertionError("nobody respawned")


def test_respawns_in_the_step_and_at_a_place_as_the_simulator_does_but_by_seed() -> None:
    step, place = places_after_respawn(0)
    assert (step, place) == places_after_respawn(0)
    assert step == 44  # 360 ticks: in the 45th step after that of the demolition
    assert (abs(place[0]), place[1]) in [(2304, 4608), (2688, 4608)] and 34 < place[2] < 36
    assert len({tuple(places_after_respawn(seed)[1]) for seed in range(6)}) > 1


def test_a_reset_forgets_the_demolition() -> None:
    arenas, _ = rammed()
    arenas.reset([0], [flat_setup([(0, 0, 17), (500, 0, 17)], ball=(0, 4000, 93.15))])
    assert not arenas.state.demo_respawn_timer.any() and arenas.state.on_ground.all()
    arenas.step(np.array([[FULL_BOOST, IDLE]]))
    assert arenas.state.on_ground.all() and not arenas.state.is_holding_jump.any()
