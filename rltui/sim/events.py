"""Touches, pickups, demolitions, shots and saves, from the simulator's callbacks into the state's arrays; totals.

Events are few: each is a tuple in a list, and arrays are written, and emptied again, only where there were some.

What each callback sees (measured with RocketSim 2.2): a touch, the ball before the hit moves it; a pickup, the boost after
it. A full car, 100, picks up nothing. A shot is RocketSim's GameEventTracker's, and so is a save, both looked for after each
call of `Arena.step`: a shot, when 0.3 s after a car's last touch the ball flies at 1,750 uu/s or more on a parabola that
crosses the other goal's mouth within 2 s, at most once a second; a save, when a car of the team shot at touches the ball and
it no longer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rltui.field import BOOST, BOOST_MAX
from rltui.sim.arena import SoccarArena
from rltui.sim.boost_pads import PAD_BOOST, after_ticks
from rltui.sim.state import Bool, Float, GameState, Int

NO_PAD = -1


@dataclass(frozen=True)
class EventTotals:
    """Of all episodes since the last `clear`, each array [K, C]."""

    touches: Int  # steps with a touch
    shots: Int
    saves: Int
    demos: Int  # of others
    boost_received: NDArray[np.float64]  # from pads, and by respawning, which may take some away

    @classmethod
    def zeros(cls, arenas: int, cars: int) -> EventTotals:
        """Nothing has happened."""
        touches, shots, saves, demos = np.zeros((4, arenas, cars), np.int64)
        return cls(touches, shots, saves, demos, np.zeros((arenas, cars)))

    def clear(self, cars: slice) -> None:
        """These cars begin at 0."""
        for array in (self.touches, self.shots, self.saves, self.demos, self.boost_received):
            array[:, cars] = 0

    def part(self, arenas: slice) -> EventTotals:
        """Views of these arenas."""
        return EventTotals(*(getattr(self, item.name)[arenas] for item in fields(self)))


class Pickup(NamedTuple):
    """A boost pad taken during a step."""

    arena: int
    car: int
    pad: int
    tick: int  # of the episode, when it had happened
    gain: float  # boost that it gave


class StepEvents:
    """Listens to K arenas. `state` is the one that the arenas are read into."""

    delay = 0  # ticks of a step that still play the controls of the step before

    def __init__(self, arenas: Sequence[SoccarArena], state: GameState, boosting_time: Float) -> None:
        """boosting_time: [K, C] of the state."""
        self._arenas, self._state = arenas, state
        self._boosting_time = boosting_time
        self._team = state.team.tolist()
        self._touches: list[tuple[int, int, float]] = []  # arena, car id, height of the ball
        self._flags: list[tuple[Bool, Int | None, int, int]] = []  # array of the state, of the totals; arena, car id
        self.pickups: list[Pickup] = []
        self.demolished: set[int] = set()  # arenas with a demolition in the step
        self.totals = EventTotals.zeros(state.arenas, state.cars)
        self._had_touches = self._had_flags = self._had_pickups = False  # what the arrays show
        for arena in arenas:
            arena.listen(self._on_touch, self._on_pickup, self._on_demo, self._on_shot, self._on_save)

    def write(self) -> None:
        """Bring the arrays to the step that was simulated; `state.tick` already counts it."""
        if self._touches or self._had_touches:
            self._write_touches()
        if self._flags or self._had_flags:
            self._write_flags()
        if self.pickups or self._had_pickups:
            self._write_pickups()

    def clear(self) -> None:
        """Pickups and demolitions have been dealt with."""
        self.pickups.clear()
        self.demolished.clear()

    def forget(self, arena: int) -> None:
        """A new episode begins in it."""
        state = self._state
        state.last_touch_tick[arena] = 0
        state.last_toucher[arena] = state.last_toucher_of[arena] = -1
        state.touches[arena] = state.touch_height[arena] = state.boost_gained[arena] = 0
        state.shots[arena] = state.saves[arena] = state.demos[arena] = state.demoed[arena] = False
        state.pad_picked[arena] = NO_PAD

    def _write_touches(self) -> None:
        state, team, totals = self._state, self._team, self.totals.touches
        state.touches.fill(0)
        state.touch_height.fill(0)
        for arena, car_id, height in self._touches:
            car = car_id - self._arenas[arena].first_id
            if not state.touches[arena, car]:
                totals[arena, car] += 1
            state.touches[arena, car] += 1
            state.touch_height[arena, car] = height
            state.last_toucher[arena] = state.last_toucher_of[arena, team[car]] = car
            state.last_touch_tick[arena] = state.tick[arena]
        self._had_touches = bool(self._touches)
        self._touches.clear()

    def _write_flags(self) -> None:
        state = self._state
        for shown in (state.shots, state.saves, state.demos, state.demoed):
            shown.fill(False)
        for array, total, arena, car_id in self._flags:
            car = car_id - self._arenas[arena].first_id
            array[arena, car] = True
            if total is not None:
                total[arena, car] += 1
        self._had_flags = bool(self._flags)
        self._flags.clear()

    def _write_pickups(self) -> None:
        state, received = self._state, self.totals.boost_received
        state.pad_picked.fill(NO_PAD)
        state.boost_gained.fill(0)
        for arena, car, pad, _, gain in self.pickups:
            state.pad_picked[arena, car] = pad
            state.boost_gained[arena, car] = float(state.boost_gained[arena, car]) + gain  # summed alike by every NumPy
            received[arena, car] += gain
        self._had_pickups = bool(self.pickups)

    def _on_touch(self, arena: Any, car: Any, data: int) -> None:
        self._touches.append((data, car.id, arena.ball.get_state().pos.z))

    def _on_demo(self, arena: Any, bumper: Any, victim: Any, data: int) -> None:
        self._flags.append((self._state.demos, self.totals.demos, data, bumper.id))
        self._flags.append((self._state.demoed, None, data, victim.id))
        self.demolished.add(data)

    def _on_shot(self, arena: Any, shooter: Any, passer: Any, data: int) -> None:
        self._flags.append((self._state.shots, self.totals.shots, data, shooter.id))

    def _on_save(self, arena: Any, saver: Any, data: int) -> None:
        self._flags.append((self._state.saves, self.totals.saves, data, saver.id))

    def _on_pickup(self, arena: Any, car: Any, boost_pad: Any, data: int) -> None:
        """Called while the step is simulated: the state is still that of the step's beginning."""
        home = self._arenas[data]
        index, pad = car.id - home.first_id, home.pad_index[boost_pad]
        tick = arena.tick_count + 1 - home.first_tick
        gain = PAD_BOOST[pad]
        picked_before = bool(self.pickups) and self.pickups[-1].arena == data
        if picked_before or self._state.boost[data, index] > BOOST_MAX - gain:
            gain = min(gain, BOOST_MAX - self._boost_before(data, index, tick, car.get_controls().boost))
        self.pickups.append(Pickup(data, index, pad, tick, gain))

    def _boost_before(self, arena: int, car: int, tick: int, held: bool) -> float:
        """What the car had at this tick before a pickup. held: its boost button now.

        Worked out from what it had when the step began, for the simulator tells only what it has after the pickup.
        """
        state = self._state
        first = int(state.tick[arena])
        delayed = min(tick - first, self.delay)  # ticks that play the controls of the step before
        presses = [bool(state.previous_actions[arena, car, BOOST])] * delayed + [held] * (tick - first - delayed)
        boost, time = float(state.boost[arena, car]), float(self._boosting_time[arena, car])
        for earlier in self.pickups:
            if (earlier.arena, earlier.car) == (arena, car):
                boost, time = after_ticks(boost, time, presses[: earlier.tick - first])
                boost, presses, first = boost + earlier.gain, presses[earlier.tick - first :], earlier.tick
        return after_ticks(boost, time, presses)[0]
