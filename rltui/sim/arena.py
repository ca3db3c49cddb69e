"""One RocketSim arena and the first state of an episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import RocketSim

from rltui.field import BOOST_USE, TICKS_PER_SECOND
from rltui.sim.state import ArenaSetup, Float

Event = Callable[..., None]  # called by RocketSim with keywords only; `data` is the arena's index
TICK = float(np.float32(1.0) / np.float32(TICKS_PER_SECOND))
WHEELS_DOWN, WHEELS_UP = (True,) * 4, (False,) * 4


class SoccarArena:
    """An arena with its cars, Octanes in the order all blue, then all orange. `generator` draws where cars respawn."""

    def __init__(self, index: int, teams: Sequence[int], generator: np.random.Generator) -> None:
        self._teams = list(teams)
        self._generator = generator
        self._index = index
        self.arena = RocketSim.Arena(RocketSim.GameMode.SOCCAR)
        rules = RocketSim.MutatorConfig()
        rules.boost_used_per_second = BOOST_USE
        self.arena.set_mutator_config(rules)
        self.pad_index = {pad: index for index, pad in enumerate(self.arena.get_boost_pads())}
        self.step: Callable[[int], None] = (
            self.arena.step
        )  # for so many ticks; whoever wants to see them puts its own here
        self.cars: list[Any] = []
        self.first_tick = 0  # the arena's tick count when the episode began
        self.first_id = 0  # ids go on counting: a car's index is its id less this

    def listen(self, on_touch: Event, on_pickup: Event, on_demo: Event, on_shot: Event, on_save: Event) -> None:
        """Callbacks for each tick of a ball touch, each boost pickup, demolition, shot and save."""
        self.arena.set_ball_touch_callback(on_touch, self._index)
        self.arena.set_boost_pickup_callback(on_pickup, self._index)
        self.arena.set_car_demo_callback(on_demo, self._index)
        self.arena.set_shot_event_callback(on_shot, self._index)
        self.arena.set_save_event_callback(on_save, self._index)

    def reset(self, setup: ArenaSetup) -> None:
        """Begin an episode: new cars, so that nothing is carried over, then ball, cars, pads, controls.

        The last car goes first: the simulator hands out the places of removed cars newest first, and cars that sit in
        each other's places collide in another order, so that a used arena would differ from a fresh one.
        """
        for car in reversed(self.cars):
            self.arena.remove_car(car)
        self.cars = [self.arena.add_car(team, RocketSim.CarConfig.OCTANE) for team in self._teams]
        setup = setup.woken()
        self.arena.ball.set_state(_ball_state(setup))
        for index, car in enumerate(self.cars):
            car.set_state(_car_state(setup, index))
        self._set_pads(setup.pad_timers)
        idle = RocketSim.CarControls()
        for car in self.cars:
            car.set_controls(idle)
        self.first_tick = self.arena.tick_count
        self.first_id = self.cars[0].id

    def step_with_respawns(self, ticks: int) -> None:
        """`arena.step(ticks)` for an arena with a demolished car.

        The simulator draws the place of a respawn from a clock-seeded generator of its own; here each car is respawned
        just before the tick that would do it, with a draw of this arena's generator, so that a seed says where.
        """
        for _ in range(ticks):
            for car in self.cars:
                state = car.get_state()
                if state.is_demoed and state.demo_respawn_timer <= TICK:
                    car.respawn(int(self._generator.integers(2**31)))
            self.step(1)

    def _set_pads(self, timers: Float | None) -> None:
        for index, pad in enumerate(self.pad_index):
            state = RocketSim.BoostPadState()
            if timers is not None and timers[index] > 0:
                state.cooldown = float(timers[index])
                state.is_active = False
            pad.set_state(state)


def _ball_state(setup: ArenaSetup) -> Any:
    state = RocketSim.BallState()
    state.pos = RocketSim.Vec(*setup.ball_position.tolist())
    state.vel = RocketSim.Vec(*setup.ball_velocity.tolist())
    state.ang_vel = RocketSim.Vec(*setup.ball_angular_velocity.tolist())
    return state


def _car_state(setup: ArenaSetup, car: int) -> Any:
    """A new CarState: no jump or flip used unless so said. The contact flags hold until the first tick, which works them
    out.
    """
    state = RocketSim.CarState()
    state.pos = RocketSim.Vec(*setup.position[car].tolist())
    state.vel = RocketSim.Vec(*setup.velocity[car].tolist())
    state.ang_vel = RocketSim.Vec(*setup.angular_velocity[car].tolist())
    state.rot_mat = RocketSim.RotMat(*setup.rotation[car].T.ravel().tolist())
    state.boost = float(setup.boost[car])
    state.is_on_ground = bool(setup.on_ground[car])
    state.wheels_with_contact = WHEELS_DOWN if setup.on_ground[car] else WHEELS_UP
    if setup.flip_used is not None and setup.flip_used[car]:
        state.has_jumped = state.has_double_jumped = True
    if setup.body_down is not None and setup.body_down[car]:
        state.has_world_contact = True
        state.world_contact_normal = RocketSim.Vec(0.0, 0.0, 1.0)
    return state
