"""ArenaBatch: K arenas stepped in turn and read into one GameState. The hot loop of everything.

A call into the simulator costs as much as a small array operation, so per arena only the calls that must be made are
made, on bound methods kept in tuples; all else happens once for all arenas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import RocketSim

from rltui.field import FLIP_SECONDS, FLIP_WINDOW_SECONDS, GOAL_LINE_Y, JUMP
from rltui.sim.arena import SoccarArena
from rltui.sim.boost_pads import PadTimers
from rltui.sim.events import EventTotals, StepEvents
from rltui.sim.readout import Readout, view_state
from rltui.sim.state import ArenaSetup, Bool, Float, GameState, Int

BUILT_AT_ONCE = 10_000  # rows, that take 10 ms and 1 MB
# NumPy compares with these faster than with Python's numbers
NOTHING, GOAL_LINE, FLIP_WINDOW, LAST_FLIP_TIME = (
    np.array(number, np.float32) for number in (0.0, GOAL_LINE_Y, FLIP_WINDOW_SECONDS, FLIP_SECONDS)
)

NO_NORMAL = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Pace:
    """Ticks of a step, and how many of them still play the controls of the step before (RLGym: rlbot_delay, 1)."""

    tick_skip: int = 8
    delay: int = 1


class Cursor(NamedTuple):
    """Where it shows which arena is being simulated, for the report of a crash. first: what it calls the first arena."""

    shown: Int  # int64 [1]
    first: int = 0


class Handles(NamedTuple):
    """Bound methods of one arena."""

    step: Callable[[int], None]
    set_controls: list[Callable[[Any], None]]  # of each car
    ball: Callable[[], Any]
    cars: list[Callable[[], Any]]


class FirstArenas(NamedTuple):
    """Views of a batch's first arenas: what is counted of them."""

    state: GameState
    totals: EventTotals
    contact: Callable[[int, int], tuple[int, tuple[float, float, float]]]


class ArenaBatch:
    """K arenas, one for each generator, with `teams` = (blue, orange) cars. `state` is overwritten by each call of a method.

    rows: float32 [N, 8], the action table.
    """

    def __init__(
        self,
        generators: Sequence[np.random.Generator],
        teams: tuple[int, int],
        rows: Float,
        pace: Pace,
        cursor: Cursor | None = None,
        contacts: bool = False,
    ) -> None:
        """contacts: whether `state.contacts` is read."""
        shown, self._first = cursor or Cursor(np.zeros(1, np.int64))
        self._cursor = shown.data  # a memoryview is the cheapest to write to
        self.set_rows(rows)
        team = np.repeat(np.array([0, 1], np.int8), teams)
        arenas, cars = len(generators), len(team)
        self._arenas = [SoccarArena(index, team.tolist(), rng) for index, rng in enumerate(generators)]
        self._handles = [Handles(_unready, [], _unready, [])] * arenas
        self._demolished: set[int] = set()  # arenas that may have a demolished car
        self._readout = Readout(arenas, cars, contacts)
        self._is_demoed = self._readout.field("is_demoed")
        self._boosting_time = self._readout.field("time_spent_boosting")
        self._pads = PadTimers(arenas)
        self._used: Bool = np.empty((arenas, cars), np.bool_)
        self._in_time: Bool = np.empty((arenas, cars), np.bool_)
        self._blue_scored: Bool = np.empty(arenas, np.bool_)
        self._orange_scored: Bool = np.empty(arenas, np.bool_)
        self.state = view_state(self._readout, team)
        self._ball_y = self.state.ball_position[:, 1]
        self._events = StepEvents(self._arenas, self.state, self._boosting_time)
        self.totals = self._events.totals
        self.set_pace(pace)
        self._boost_of_dead: Float = np.zeros((arenas, cars), np.float32)

    @property
    def arenas(self) -> Sequence[SoccarArena]:
        """[K] The simulator's side of the batch."""
        return self._arenas

    def set_pace(self, pace: Pace) -> None:
        """Of the steps to come; between `read` and `simulate`."""
        self._tick_skip, self._delay, self._rest = pace.tick_skip, pace.delay, pace.tick_skip - pace.delay
        self._events.delay = pace.delay

    def set_rows(self, rows: Float) -> None:
        """Another action table, float32 [N, 8], for the steps to come."""
        self._rows, self._jumps = rows, rows[:, JUMP] != 0
        self._controls = _controls(rows)

    def first(self, arenas: int) -> FirstArenas:
        """The first so many arenas alone."""
        part = slice(arenas)
        return FirstArenas(self.state.part(part), self.totals.part(part), self.contact)

    def step(self, actions: Int) -> None:
        """`simulate`, then `read`."""
        self.simulate(actions)
        self.read()

    def simulate(self, actions: Int) -> None:
        """Play one step in every arena. actions: int64 rows of the table [K, C].

        KeyError, and nothing is played, for a number that is no row (in a list, a negative one would count from the end).
        """
        delay, rest, cursor, controls = self._delay, self._rest, self._cursor, self._controls
        chosen = iter([controls[row] for row in actions.ravel().tolist()])
        for index, (step, setters, _, _) in enumerate(self._handles, self._first):
            cursor[0] = index
            if delay:
                step(delay)
            for set_controls, control in zip(setters, chosen):  # noqa: B905 - takes from `chosen` what it needs
                set_controls(control)
            if rest:
                step(rest)
        self._note_controls(actions)

    def read(self) -> None:
        """Bring `state` to the end of the step that was simulated.

        A loop of its own: reading between steps costs more, for the simulator's code then has to come back each time.
        """
        balls: list[Any] = []
        cars: list[Any] = []
        append_numbers = self._readout.append_numbers
        for handles in self._handles:
            append_numbers(handles.ball, handles.cars, balls, cars)
        self._readout.store_all(balls, cars)
        self.state.tick += self._tick_skip
        self._note_events()
        self._derive()

    def contact(self, arena: int, car: int) -> tuple[int, tuple[float, float, float]]:
        """Wheels that touch a surface, and the normal of what the body touches, as in Contacts; for when few are wanted."""
        detail = self._arenas[arena].cars[car].get_state()
        if detail.is_demoed:
            return 0, NO_NORMAL
        return sum(detail.wheels_with_contact), (
            detail.world_contact_normal.as_tuple() if detail.has_world_contact else NO_NORMAL
        )

    def reset(self, arenas: Sequence[int], setups: Sequence[ArenaSetup]) -> None:
        """Begin new episodes in these arenas; `state` shows their first states and the others as they are."""
        for index, setup in zip(arenas, setups, strict=True):
            self._reset_one(index, setup)
        self._derive()

    def _reset_one(self, index: int, setup: ArenaSetup) -> None:
        arena, state = self._arenas[index], self.state
        arena.reset(replace(setup, pad_timers=self._pads.reset(index, setup.pad_timers)))
        self._demolished.discard(index)
        self._handles[index] = _handles(arena)
        balls: list[Any] = []
        cars: list[Any] = []
        self._readout.append_numbers(self._handles[index].ball, self._handles[index].cars, balls, cars)
        self._readout.store_one(index, balls, cars)
        self._events.forget(index)
        state.tick[index] = 0
        state.kickoff[index] = setup.kickoff
        for array in (state.previous_actions, state.is_holding_jump, state.demo_respawn_timer):
            array[index] = 0

    def _note_controls(self, actions: Int) -> None:
        """The step's controls. When none of its ticks plays them, the jump button was last held as they were before."""
        state = self.state
        if self._rest:
            self._jumps.take(actions, out=state.is_holding_jump, mode="clip")
        else:
            np.not_equal(state.previous_actions[..., JUMP], 0, out=state.is_holding_jump)
        self._rows.take(actions, axis=0, out=state.previous_actions, mode="clip")

    def _note_events(self) -> None:
        """What happened in the step, as the simulator's callbacks reported it."""
        events = self._events
        events.write()
        for pickup in events.pickups:
            self._pads.picked(pickup.arena, pickup.pad, pickup.tick)
        self._demolished |= events.demolished
        events.clear()
        for index in tuple(self._demolished):
            self._note_demolished(index)

    def _note_demolished(self, index: int) -> None:
        """Such arenas are few: they are asked car by car, and stepped with an eye on respawns."""
        arena, state = self._arenas[index], self.state
        details = [car.get_state() for car in arena.cars]
        for car, detail in enumerate(details):
            if detail.is_demoed:
                state.is_holding_jump[index, car] = detail.last_controls.jump
                self._boost_of_dead[index, car] = detail.boost
            elif state.demo_respawn_timer[index, car] > 0:
                self.totals.boost_received[index, car] += detail.boost - float(self._boost_of_dead[index, car])
            state.demo_respawn_timer[index, car] = detail.demo_respawn_timer
        handles = _handles(arena)
        if any(detail.is_demoed for detail in details):
            handles = handles._replace(step=arena.step_with_respawns)
        else:
            self._demolished.discard(index)
        self._handles[index] = handles

    def _derive(self) -> None:
        """What follows from the numbers read, as RLGym's Car works it out. Gives the same when called twice."""
        state, used, in_time = self.state, self._used, self._in_time
        if self._demolished:  # such a car claims to touch what it touched
            np.greater(state.world_contact, self._is_demoed, out=state.world_contact)
        np.greater(self._boosting_time, NOTHING, out=state.is_boosting)
        # equal too: RLGym compares in float64, where 0.65 lies just above its float32
        np.less_equal(state.flip_time, LAST_FLIP_TIME, out=state.is_flipping)
        np.logical_and(state.is_flipping, state.has_flipped, out=state.is_flipping)
        np.logical_or(state.has_flipped, state.has_double_jumped, out=used)
        np.logical_or(used, state.is_holding_jump, out=used)
        np.logical_or(used, state.on_ground, out=used)
        np.less(state.air_time_since_jump, FLIP_WINDOW, out=in_time)
        np.greater(in_time, used, out=state.can_flip)
        np.greater(self._ball_y, GOAL_LINE, out=self._blue_scored)
        np.less(self._ball_y, -GOAL_LINE, out=self._orange_scored)
        np.subtract(self._blue_scored, self._orange_scored, out=state.goal, dtype=np.int8)
        self._pads.write(state.tick, state.pad_timers)
        if self._readout.has_contacts:
            self._derive_contacts()

    def _derive_contacts(self) -> None:
        contacts, standing = self.state.contacts, self._readout.field("wheels_with_contact")
        np.sum(standing, axis=-1, out=contacts.wheels)
        np.multiply(contacts.wheels, ~self._is_demoed, out=contacts.wheels)
        # a normal outlives the contact
        normal = self._readout.field("world_contact_normal")
        np.multiply(normal, self.state.world_contact[..., None], out=contacts.normal)


def _handles(arena: SoccarArena) -> Handles:
    return Handles(
        step=arena.step,
        set_controls=[car.set_controls for car in arena.cars],
        ball=arena.arena.ball.get_state,
        cars=[car.get_state for car in arena.cars],
    )


class _LazyControls(dict[int, Any]):
    """Controls by row of the table, built when they are first played."""

    def __init__(self, rows: Float) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, row: int) -> Any:
        if not 0 <= row < len(self._rows):
            raise KeyError(row)
        self[row] = controls = car_controls(self._rows[row].tolist())
        return controls


def _controls(rows: Float) -> dict[int, Any]:
    """Controls by row of the table [N, 8]. A huge table, of which little may be played, is not built at once."""
    if len(rows) > BUILT_AT_ONCE:
        return _LazyControls(rows)
    return {index: car_controls(row) for index, row in enumerate(rows.tolist())}


def car_controls(row: Sequence[float]) -> Any:
    """RocketSim's controls for a row of an action table; built once, for that costs seven times as much as using them.

    By name, since RocketSim 2.2's own order has boost before jump, whatever its stub says.
    """
    throttle, steer, pitch, yaw, roll, jump, boost, handbrake = row
    return RocketSim.CarControls(
        throttle=throttle,
        steer=steer,
        pitch=pitch,
        yaw=yaw,
        roll=roll,
        jump=bool(jump),
        boost=bool(boost),
        handbrake=bool(handbrake),
    )


def _unready(*_: int) -> Any:
    raise RuntimeError("reset comes before the first step")
