"""Events of a step: touches and their height, pickups and what they gave, shots, saves, demolitions; gone with the step."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.resets.standard import KickoffReset
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.collisions import passing, rammed
from tests.fakes.tables import FULL_BOOST, IDLE

SMALL, BIG = 0, 3  # pads
EVENTS = ("touches", "touch_height", "shots", "saves", "demos", "demoed", "boost_gained")


def events(state: GameState) -> dict[str, list[float]]:
    """Those of the only arena that are not nothing."""
    arrays = {name: getattr(state, name)[0] for name in EVENTS} | {"pad_picked": state.pad_picked[0] + 1}
    return {name: array.tolist() for name, array in arrays.items() if array.any()}


def shooting(keeper: tuple[float, float, float]) -> ArenaSetup:
    """Blue rolls into the ball and along +y; orange waits. Both full, so that no pad is taken."""
    setup = flat_setup([(0, 2200, 17), keeper], ball=(0, 2500, 93.15))
    setup.rotation[0] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    setup.rotation[1] = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    setup.velocity[0, 1] = 1700.0
    return setup


def story(arenas: ArenaBatch, steps: int) -> dict[int, dict[str, list[float]]]:
    """Events by step, of idle cars, until a goal."""
    told = {}
    for step in range(1, steps + 1):
        arenas.step(np.full((1, arenas.state.cars), IDLE))
        if found := events(arenas.state):
            told[step] = found
        if arenas.state.goal.any():
            break
    return told


def test_a_shot_is_counted_a_third_of_a_second_after_the_touch_and_not_again() -> None:
    """RocketSim's tracker: touches in ticks 11 and 12, so the shot is due at tick 48, in the sixth step."""
    arenas = batch(teams=(1, 1))
    arenas.reset([0], [shooting((2000, 0, 17))])
    told = story(arenas, 40)
    assert list(told) == [2, 6] and arenas.state.goal.tolist() == [1]
    assert told[2]["touches"] == [2, 0] and told[6] == {"shots": [True, False]}
    assert [(car.shots, car.saves) for car in arenas._arenas[0].cars] == [(1, 0), (0, 0)]


def test_a_save_is_the_touch_that_stops_a_shot() -> None:
    """Orange falls into the way of the same ball."""
    arenas = batch(teams=(1, 1))
    arenas.reset([0], [shooting((0, 3700, 450))])
    told = story(arenas, 12)
    assert told[6] == {"shots": [True, False]}
    assert told[9]["saves"] == [False, True] and told[9]["touches"][1] >= 1
    assert arenas.state.last_toucher_of.tolist() == [[0, 1]] and arenas.state.last_toucher.tolist() == [1]
    assert [(car.shots, car.saves) for car in arenas._arenas[0].cars] == [(1, 0), (0, 1)]


def test_a_slow_ball_is_no_shot() -> None:
    arenas = batch(teams=(1, 1))
    setup = shooting((2000, 0, 17))
    setup.velocity[0, 1] = 1200.0  # the ball leaves at 1,500 uu/s and rolls in all the same
    arenas.reset([0], [setup])
    assert not any("shots" in found for found in story(arenas, 40).values())
    assert arenas.state.goal.tolist() == [1]


def test_the_height_of_a_touch_is_that_of_the_ball_at_the_newest_one() -> None:
    arenas = batch(teams=(1, 1))
    arenas.reset([0], [shooting((2000, 0, 17))])
    told = story(arenas, 2)
    hit = arenas._arenas[0].cars[0].get_state().ball_hit_info
    assert told[2]["touch_height"] == [hit.ball_pos.z, 0.0] and 93.15 < hit.ball_pos.z < 110


def test_each_teams_last_toucher_is_kept_until_the_reset() -> None:
    arenas = batch(teams=(2, 1))
    setup = flat_setup([(-3000, 0, 17), (-220, 0, 17), (220, 0, 17)])
    setup.velocity[1:, 0] = [1000.0, -1000.0]
    arenas.reset([0], [setup])
    assert arenas.state.last_toucher_of.tolist() == [[-1, -1]]
    story(arenas, 6)
    assert arenas.state.last_toucher_of.tolist() == [[1, 2]]
    arenas.reset([0], [setup])
    assert arenas.state.last_toucher_of.tolist() == [[-1, -1]]


def gain_tick_by_tick(
    arenas: ArenaBatch, setup: ArenaSetup, row: int, pace: Pace, steps: int
) -> list[tuple[int, float]]:
    """(step, boost given) of every pickup in a game asked after every tick: what a car has beyond what it had burnt."""
    arenas.reset([0], [setup])
    arena, car = arenas._arenas[0].arena, arenas._arenas[0].cars[0]
    found = []
    for tick in range(steps * pace.tick_skip):
        if tick == pace.delay:
            car.set_controls(arenas._controls[row])
        before = car.get_state().boost
        arena.step(1)
        now = car.get_state()
        if now.boost > before or now.boost - before < -1:
            burnt = 33.3 / 120 if now.time_spent_boosting else 0.0
            found.append((1 + tick // pace.tick_skip, now.boost - max(0.0, before - burnt)))
    return found


def test_a_pickup_gives_what_there_was_room_for(subtests: pytest.Subtests) -> None:
    for pace in (Pace(8, 1), Pace(8, 8), Pace(5, 0)):
        arenas, slow = batch(pace=pace), batch(pace=pace)
        for row, pad, boost in product((IDLE, FULL_BOOST), (SMALL, BIG), (0.0, 3.0, 50.0, 91.0, 99.5)):
            with subtests.test(row=row, pad=pad, boost=boost, pace=pace):
                setup = passing(pad, boost)
                expected = gain_tick_by_tick(slow, setup, row, pace, steps=5)
                arenas.reset([0], [setup])
                found = []
                for step in range(1, 6):
                    arenas.step(np.array([[row]]))
                    picked = arenas.state.pad_picked[0, 0]
                    if picked >= 0:
                        found.append((step, float(arenas.state.boost_gained[0, 0])))
                        assert picked == pad
                    else:
                        assert arenas.state.boost_gained[0, 0] == 0
                assert len(found) == 1
                assert found[0][0] == expected[0][0] and found[0][1] == pytest.approx(expected[0][1], abs=1e-4)
                room = 100 - boost
                assert found[0][1] >= min(room, 12.0 if pad == SMALL else 100.0) - 1e-4


def test_a_full_car_picks_up_nothing() -> None:
    arenas = batch()
    arenas.reset([0], [passing(BIG, 100.0)])
    assert story(arenas, 6) == {}
    assert not arenas.state.pad_timers.any()


def test_two_pads_in_one_long_step_give_what_both_gave() -> None:
    """Two seconds at full speed lead over both small pads of the middle line."""
    setup = passing(16, 80.0, speed=2300.0)
    pace = Pace(240, 1)
    expected = gain_tick_by_tick(batch(pace=pace), setup, FULL_BOOST, pace, steps=1)
    arenas = batch(pace=pace)
    arenas.reset([0], [setup])
    arenas.step(np.array([[FULL_BOOST]]))
    assert len(expected) == 2 and arenas.state.pad_picked[0, 0] == 17
    assert arenas.state.boost_gained[0, 0] == pytest.approx(sum(gain for _, gain in expected), abs=1e-3)


def test_who_demolished_whom_is_told_in_that_step_alone() -> None:
    arenas, _ = rammed()
    state = arenas.state
    assert state.demos.tolist() == [[True, False]] and state.demoed.tolist() == [[False, True]]
    arenas.step(np.array([[IDLE, IDLE]]))
    assert not state.demos.any() and not state.demoed.any() and state.demo_respawn_timer[0, 1] > 0


def test_a_reset_forgets_all_events_and_says_whether_it_is_a_kickoff() -> None:
    arenas = batch(arenas=2, teams=(1, 1))
    arenas.reset([0, 1], [shooting((2000, 0, 17)), shooting((2000, 0, 17))])
    arenas.step(np.full((2, 2), IDLE))
    arenas.step(np.full((2, 2), IDLE))
    assert arenas.state.touches[:, 0].all() and not arenas.state.kickoff.any()
    arenas.reset([0], [KickoffReset(KickoffReset.Params()).sample(np.random.default_rng(0), 1, 1)])
    assert events(arenas.state) == {} and arenas.state.kickoff.tolist() == [True, False]
    assert arenas.state.touches[1, 0] > 0 and arenas.state.last_toucher.tolist() == [-1, 0]
    arenas.step(np.full((2, 2), IDLE))
    assert events(arenas.state) == {} and arenas.state.kickoff.tolist() == [True, False]
