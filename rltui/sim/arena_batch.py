"""ArenaBatch: K arenas stepped in turn and read into one GameState. The hot loop of everything.

A call into the simulator costs as much as a small array operation, so per arena only the calls that must be made are
made, on bound methods kept in lists; all else happens once for all arenas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import RocketSim

from rltui.sim.arena import SoccarArena
from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.field import FLIP_SECONDS, FLIP_WINDOW_SECONDS, GOAL_LINE_Y
from rltui.sim.pad_timers import PadTimers
from rltui.sim.readout import DEMOLISHED, ON_GROUND, Readout, read_fields, view_state
from rltui.sim.state import Bool, Float, Int

Drive = tuple[Callable[[int], None], list[Callable[[Any], None]]]  # step, and set_controls of each car
JUMP = 5  # column of the action table
# RLGym compares in float64, where 0.65 lies just above its float32: a flip_time that equals it still flips
LAST_FLIP_TIME = np.float32(FLIP_SECONDS)


@dataclass(frozen=True)
class Pace:
    """Ticks of a step, and how many of them still play the controls of the step before (RLGym: rlbot_delay, 1)."""

    tick_skip: int = 8
    delay: int = 1


class ArenaBatch:
    """K arenas, one for each generator, with `teams` = (blue, orange) cars. `state` is overwritten by `read` and `reset`.

    rows: float32 [N, 8], the action table. cursor: int64 [1], shows which arena is being simulated, for the report of a
    crash.
    """

    def __init__(
        self,
        generators: Sequence[np.random.Generator],
        teams: tuple[int, int],
        rows: Float,
        pace: Pace,
        cursor: Int,
    ) -> None:
        self._tick_skip, self._delay, self._rest = pace.tick_skip, pace.delay, pace.tick_skip - pace.delay
        self._cursor = cursor.data  # a memoryview is the cheapest to write to
        self._rows = rows
        self._controls = [_controls(row) for row in rows.tolist()]
        team = np.repeat(np.array([0, 1], np.int8), teams)
        arenas, cars = len(generators), len(team)
        self._arenas = [SoccarArena(index, team.tolist(), rng) for index, rng in enumerate(generators)]
        self._pad_index = [{pad: i for i, pad in enumerate(arena.pads)} for arena in self._arenas]
        for arena in self._arenas:
            arena.listen(self._on_touch, self._on_pickup)
        self._drives: list[Drive] = [(arena.arena.step, []) for arena in self._arenas]
        self._read_arena = [arena.arena.get_gym_state for arena in self._arenas]
        self._read_car: list[Callable[[], Any]] = [_no_car] * (arenas * cars)
        self._touched: list[tuple[int, int]] = []  # arena, car id
        self._picked: list[tuple[int, int, int]] = []  # arena, pad, tick count of the arena
        self._readout = Readout(arenas, cars)
        self._pads = PadTimers(arenas)
        self._scratch: Bool = np.empty((2, arenas, cars), np.bool_)
        self._goals: Bool = np.empty((2, arenas), np.bool_)
        self._slow: set[int] = set()  # arenas with a demolished car
        self._ground, self._demolished = self._readout.number(ON_GROUND), self._readout.number(DEMOLISHED)
        self._boosting_time = self._readout.field("time_spent_boosting")
        self.state = view_state(self._readout, team)

    def simulate(self, actions: Int) -> None:
        """Play one step in every arena. actions: rows of the table [K, C], already checked."""
        delay, rest, cursor = self._delay, self._rest, self._cursor
        controls = self._controls
        chosen = iter([controls[row] for row in actions.ravel().tolist()])
        for index, (step, setters) in enumerate(self._drives):
            cursor[0] = index
            if delay:
                step(delay)
            for set_controls, control in zip(setters, chosen):  # noqa: B905 - takes from `chosen` what it needs, no more
                set_controls(control)
            if rest:
                step(rest)
        self._note_controls(actions)

    def read(self) -> None:
        """Bring `state` to the end of the step that was simulated."""
        arrays: list[Any] = []
        values: list[Any] = []
        for read in self._read_arena:
            arrays += read()[2:]
        for read in self._read_car:
            values += read_fields(read())
        self._readout.store(0, arrays, values)
        self.state.tick += self._tick_skip
        self._take_touches()
        self._take_pickups()
        self._derive()

    def reset(self, arenas: Sequence[int], setups: Sequence[ArenaSetup]) -> None:
        """Begin new episodes in these arenas; `state` shows their first states and the others as they are."""
        for index, setup in zip(arenas, setups, strict=True):
            self._reset_one(index, setup)
        self._derive()

    def _reset_one(self, index: int, setup: ArenaSetup) -> None:
        arena, state, cars = self._arenas[index], self.state, self.state.cars
        arena.reset(replace(setup, pad_timers=self._pads.reset(index, setup.pad_timers)))
        self._slow.discard(index)
        self._drives[index] = (arena.arena.step, [car.set_controls for car in arena.cars])
        readers = [car.get_state for car in arena.cars]
        self._read_car[index * cars : (index + 1) * cars] = readers
        values = [value for read in readers for value in read_fields(read())]
        self._readout.store(index, arena.arena.get_gym_state()[2:], values)
        state.tick[index] = state.last_touch_tick[index] = 0
        state.last_toucher[index] = -1
        for array in (state.touches, state.previous_actions, state.is_holding_jump, state.demo_respawn_timer):
            array[index] = 0

    def _note_controls(self, actions: Int) -> None:
        """The step's controls; the jump button that was last held is an older one when none of its ticks is left."""
        state = self.state
        if not self._rest:
            np.not_equal(state.previous_actions[..., JUMP], 0, out=state.is_holding_jump)
        self._rows.take(actions, axis=0, out=state.previous_actions, mode="clip")
        if self._rest:
            np.not_equal(state.previous_actions[..., JUMP], 0, out=state.is_holding_jump)

    def _on_touch(self, arena: Any, car: Any, data: int) -> None:
        self._touched.append((data, car.id))

    def _on_pickup(self, arena: Any, car: Any, boost_pad: Any, data: int) -> None:
        self._picked.append((data, self._pad_index[data][boost_pad], arena.tick_count))

    def _take_touches(self) -> None:
        state = self.state
        state.touches.fill(0)
        for index, car_id in self._touched:
            car = car_id - self._arenas[index].first_id
            state.touches[index, car] += 1
            state.last_toucher[index] = car
            state.last_touch_tick[index] = state.tick[index]
        self._touched.clear()

    def _take_pickups(self) -> None:
        for index, pad, count in self._picked:
            self._pads.picked(index, pad, count + 1 - self._arenas[index].first_tick)
        self._picked.clear()

    def _derive(self) -> None:
        """What follows from the numbers read, as RLGym's Car works it out. Gives the same when called twice."""
        state = self.state
        np.greater(self._ground, self._demolished, out=state.on_ground)  # a demolished car claims to stand
        np.greater(self._boosting_time, 0, out=state.is_boosting)
        np.less_equal(state.flip_time, LAST_FLIP_TIME, out=state.is_flipping)
        np.logical_and(state.is_flipping, state.has_flipped, out=state.is_flipping)
        if self._slow or self._demolished.any():
            self._derive_demolished()
        used, late = self._scratch
        np.logical_or(state.has_flipped, state.has_double_jumped, out=used)
        np.greater_equal(state.air_time_since_jump, FLIP_WINDOW_SECONDS, out=late)
        np.logical_or(used, late, out=used)
        np.logical_or(used, state.is_holding_jump, out=used)
        np.logical_or(used, state.on_ground, out=used)
        np.logical_not(used, out=state.can_flip)
        beyond, behind = self._goals
        np.greater(state.ball_position[:, 1], GOAL_LINE_Y, out=beyond)
        np.less(state.ball_position[:, 1], -GOAL_LINE_Y, out=behind)
        np.subtract(beyond.view(np.int8), behind.view(np.int8), out=state.goal)
        self._pads.write(state.tick, state.pad_timers)

    def _derive_demolished(self) -> None:
        """Arenas with a demolished car: few, so they are asked car by car, and stepped with an eye on respawns."""
        state = self.state
        now = set(np.flatnonzero(self._demolished.any(axis=1)).tolist())
        for index in now | self._slow:
            arena = self._arenas[index]
            for car, handle in enumerate(arena.cars):
                detail = handle.get_state()
                state.demo_respawn_timer[index, car] = detail.demo_respawn_timer
                if detail.is_demoed:
                    state.is_holding_jump[index, car] = detail.last_controls.jump
            step = arena.step_with_respawns if index in now else arena.arena.step
            self._drives[index] = (step, self._drives[index][1])
        self._slow = now


def _no_car() -> Any:
    raise RuntimeError("reset comes before the first step")


def _controls(row: Sequence[float]) -> Any:
    """Built once for each row of the table: building one costs seven times as much as handing it to a car."""
    throttle, steer, pitch, yaw, roll, jump, boost, handbrake = row
    return RocketSim.CarControls(throttle, steer, pitch, yaw, roll, bool(jump), bool(boost), bool(handbrake))
