"""Turtle recovery: three scenes with known answers, the rules one by one, and what is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.env.turtle import TurtleStats, TurtleTracker, total_turtles
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import ROWS, batch, flat_setup
from tests.fakes.tables import IDLE, JUMP

FAR = (0.0, 4000.0, 93.15)
DRIVE = int(np.flatnonzero((ROWS == [1, 0, 0, 0, 0, 0, 0, 0]).all(axis=1))[0])
ROOF_DOWN = np.diag([1.0, -1.0, -1.0]).astype(np.float32)


def on_its_roof(cars: int = 1) -> ArenaSetup:
    """Cars settled on their roofs, a metre apart."""
    setup = flat_setup([(600.0 * car, 0, 39.64) for car in range(cars)], ball=FAR)
    setup.rotation[:] = ROOF_DOWN
    return setup


def on_the_ceiling() -> ArenaSetup:
    """A car that drives along the ceiling, wheels on it; gravity is stronger than what holds it there."""
    setup = flat_setup([(-2000, 0, 2044 - 17)], ball=FAR)
    setup.rotation[:] = ROOF_DOWN
    setup.velocity[0, 0] = 1800.0
    setup.on_ground[:] = True
    return setup


def played(arenas: ArenaBatch, tracker: TurtleTracker, rows: list[int]) -> TurtleStats:
    """Every car plays these rows; statistics of the steps."""
    for row in rows:
        arenas.step(np.full((arenas.state.arenas, arenas.state.cars), row))
        tracker.step(0)
    return tracker.drain()


def scene(setup: ArenaSetup) -> tuple[ArenaBatch, TurtleTracker]:
    cars = len(setup.position)
    arenas = batch(teams=(cars, 0))
    arenas.reset([0], [setup])
    return arenas, TurtleTracker(arenas.state, slice(cars), 8, arenas.contact)


def test_idle_on_the_roof_is_one_event_and_no_recovery() -> None:
    """Ten seconds: it never rights itself, and lying on is not another event."""
    stats = played(*scene(on_its_roof()), [IDLE] * 150)
    assert stats == TurtleStats(events=1, failed=1, censored=0, recovery_ticks=[])


def test_a_jump_press_rights_the_car_in_about_81_ticks() -> None:
    arenas, tracker = scene(on_its_roof())
    before = played(arenas, tracker, [IDLE] * 4)
    assert before == TurtleStats(events=1)
    pressed = arenas.state.tick[0]
    after = played(arenas, tracker, [JUMP] + [IDLE] * 30)
    assert (after.events, after.recovered, after.failed, after.censored) == (0, 1, 0, 0)
    began = 8  # at the end of the first step
    assert began + after.recovery_ticks[0] - pressed == pytest.approx(81, abs=8)  # a step is 8 ticks
    assert arenas.state.on_ground[0, 0] and arenas.state.up[0, 0, 2] > 0.6


def test_driving_on_the_ceiling_is_no_event() -> None:
    arenas, tracker = scene(on_the_ceiling())
    upside_down_on_wheels = 0
    for _ in range(20):
        arenas.step(np.array([[DRIVE]]))
        tracker.step(0)
        upside_down_on_wheels += int(arenas.state.on_ground[0, 0] and arenas.state.up[0, 0, 2] < -0.2)
    assert upside_down_on_wheels >= 2  # until it falls off; the obvious rule fires here
    assert tracker.drain() == TurtleStats()


class Scripted:
    """A world without a simulator: one car in each of two arenas, its figures set by hand for each step."""

    def __init__(self) -> None:
        self.state: Any = GameState.__new__(GameState)
        self.state.up = np.zeros((2, 1, 3), np.float32)
        self.state.on_ground, self.state.world_contact = np.zeros((2, 1), np.bool_), np.zeros((2, 1), np.bool_)
        self.state.demo_respawn_timer = np.zeros((2, 1), np.float32)
        self.wheels, self.normal, self.asked = 0, 1.0, 0
        self.tracker = TurtleTracker(self.state, slice(1), 8, self._contact)
        self.stand(0), self.stand(1)

    def _contact(self, arena: int, car: int) -> tuple[int, tuple[float, float, float]]:
        self.asked += 1
        return self.wheels, (0.0, 0.0, self.normal)

    def lie(self, arena: int, up: float = -1.0) -> None:
        self._set(arena, up, on_ground=False, contact=True)

    def stand(self, arena: int, up: float = 1.0) -> None:
        self._set(arena, up, on_ground=True, contact=False)

    def _set(self, arena: int, up: float, on_ground: bool, contact: bool) -> None:
        self.state.up[arena, 0, 2] = up
        self.state.on_ground[arena], self.state.world_contact[arena] = on_ground, contact

    def steps(self, count: int = 1) -> None:
        for _ in range(count):
            self.tracker.step(np.count_nonzero(self.state.demo_respawn_timer))


def test_what_a_turtle_is(subtests: pytest.Subtests) -> None:
    for wheels, normal, up, events in (
        (0, 1.0, -1.0, 1),
        (1, 0.71, -0.21, 1),
        (2, 1.0, -1.0, 0),
        (0, 0.7, -1.0, 0),
        (0, -1.0, -1.0, 0),
        (0, 1.0, -0.2, 0),
    ):
        with subtests.test(wheels=wheels, normal=normal, up=up, events=events):
            world = Scripted()
            world.wheels, world.normal = wheels, normal
            world.lie(0, up)
            world.steps(3)
            assert world.tracker.drain().events == events


def test_what_a_recovery_is(subtests: pytest.Subtests) -> None:
    """Upright within 360 ticks of the step in which it was found lying, by more than 0.6."""
    for steps, up, recoveries, failed in ((45, 0.61, [360], 0), (46, 0.61, [], 1), (45, 0.6, [], 1), (10, 0.6, [], 0)):
        with subtests.test(steps=steps, up=up, recoveries=recoveries, failed=failed):
            world = Scripted()
            world.lie(0)
            world.steps(steps)
            world.stand(0, up)
            world.steps()
            assert world.tracker.drain() == TurtleStats(1, failed, 0, recoveries)


def test_after_a_failure_the_next_event_needs_an_upright_car_in_between() -> None:
    world = Scripted()
    world.lie(0)
    world.steps(60)
    world.stand(0, up=0.3)  # wheels on a wall
    world.steps()
    world.lie(0)
    world.steps(60)
    assert world.tracker.drain() == TurtleStats(1, 1, 0, [])
    world.stand(0)
    world.steps()
    world.lie(0)
    world.steps()
    assert world.tracker.drain() == TurtleStats(events=1)


def test_an_episodes_end_cuts_what_is_open_in_its_arena_alone() -> None:
    world = Scripted()
    world.lie(0), world.lie(1)
    world.steps(5)
    world.tracker.end(np.array([0]))
    world.stand(0)
    world.steps(2)
    world.stand(1)
    world.steps()
    assert world.tracker.drain() == TurtleStats(events=2, censored=1, recovery_ticks=[56])


def test_a_turtle_of_the_new_episode_is_a_new_event() -> None:
    world = Scripted()
    world.lie(0)
    world.steps(50)  # failed, and still lying
    world.tracker.end(np.array([0]))
    world.steps()
    assert world.tracker.drain() == TurtleStats(events=2, failed=1)


def test_a_demolition_cuts_and_a_demolished_car_is_no_turtle() -> None:
    world = Scripted()
    world.lie(0)
    world.steps(5)
    world.state.demo_respawn_timer[0], world.state.world_contact[0] = 3.0, False  # masked by the simulation
    world.state.on_ground[0], world.state.up[0, 0, 2] = True, 1.0  # as it was hit
    world.steps(10)
    world.state.demo_respawn_timer[0] = 0.0
    world.stand(0)
    world.steps()
    assert world.tracker.drain() == TurtleStats(events=1, censored=1)


def test_nobody_is_asked_about_cars_that_are_being_followed() -> None:
    world = Scripted()
    world.lie(0)
    world.steps(100)
    assert world.asked == 1


def test_totals_keep_every_recovery() -> None:
    parts = [TurtleStats(3, 1, 0, [80, 96]), TurtleStats(2, 0, 1, [120]), TurtleStats()]
    assert total_turtles(parts) == TurtleStats(5, 1, 1, [80, 96, 120])
    assert total_turtles(parts).recovered == 3
