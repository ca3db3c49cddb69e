"""Legality classes, masks, fallback rows: which rows of an action table can do something in the state that a car is in.

It depends on three booleans of a car, so a class id (their bit field) and one mask for each class say it all. Driving is
never forbidden: with linked steer and yaw every turning row looks like air torque, and without them only idling would be
left on the ground.
"""

from __future__ import annotations

import numpy as np

from rltui.actions.spec import Classes
from rltui.errors import RltuiError
from rltui.field import BOOST, JUMP
from rltui.sim.state import UPSIDE_DOWN, Bool, Float, GameState, Int, Seats

LEGALITY = ("off", "mask", "fallback")  # what becomes of illegal rows
CAN_JUMP, HAS_BOOST, ALIVE = 1, 2, 4  # bits of a class id
CLASSES = 8


def class_ids(state: GameState, seats: Seats, out: Classes) -> None:
    """Write the class of each of these cars, uint8 [K, A].

    A jump press does something on the ground (jump), while a jump lasts (it goes on), while a flip is left and the
    button is free for it, and wherever the body touches the world: on its roof, that is what rights the car.
    """
    jump = state.on_ground[seats] | state.can_flip[seats]
    np.logical_or(jump, state.is_jumping[seats], out=jump)
    np.logical_or(jump, state.world_contact[seats], out=jump)
    np.multiply(state.boost[seats] > 0, np.uint8(HAS_BOOST), out=out)
    np.add(out, jump, out=out)
    np.add(out, np.uint8(ALIVE), out=out)
    np.multiply(out, state.demo_respawn_timer[seats] == 0, out=out)  # a wreck is of class 0, whatever else it has


def legal_rows(rows: Float) -> Bool:
    """bool [CLASSES, N], from a table [N, 8]: the rows that a car of each class may play. Idle always is one of them."""
    return np.stack([_legal_in(rows, class_id) for class_id in range(CLASSES)])


def _legal_in(rows: Float, class_id: int) -> Bool:
    idle = idle_rows(rows)
    if not class_id & ALIVE:
        return idle
    legal = np.ones(len(rows), np.bool_)
    if not class_id & CAN_JUMP:
        legal &= rows[:, JUMP] == 0
    if not class_id & HAS_BOOST:
        legal &= rows[:, BOOST] == 0
    return legal


def idle_rows(rows: Float) -> Bool:
    """bool [N]: all eight controls zero."""
    idle: Bool = ~np.any(rows != 0, axis=1)
    return idle


def idle_row(rows: Float) -> int:
    """The first idle row. RltuiError where the table has none: then a demolished car would have nothing to choose."""
    found = np.flatnonzero(idle_rows(rows))
    if not len(found):
        raise RltuiError(
            "the action table has no idle row, which legality needs: a demolished car can do nothing else",
            "add a row of eight zeros, or set actions.legality to off",
            exit_code=2,
        )
    return int(found[0])


class Fallback:
    """For K arenas with A cars that the policy plays."""

    def __init__(self, rows: Float, fallback_row: int, recovery_row: int, shape: tuple[int, int], seats: Seats) -> None:
        """rows: float32 [N, 8]; recovery_row: played by a car on its roof; shape: (K, A)."""
        self._legal = legal_rows(rows)
        self._fallback, self._recovery = fallback_row, recovery_row
        self._seats = seats
        self._classes = np.zeros(shape, np.uint8)
        self.count = 0  # choices replaced so far

    def replace(self, actions: Int, state: GameState, player: Classes | None = None) -> Int:
        """Rows of the table [K, A], the illegal ones replaced; `state` is what they were chosen in. player: see ActionPipeline.play."""
        class_ids(state, self._seats, self._classes)
        legal: Bool = self._legal[self._classes, actions]
        if legal.all():
            return actions
        self.count += int(np.count_nonzero(~legal if player is None else ~legal & (player == 0)))
        instead = np.where(self._on_roof(state), self._recovery, self._fallback)
        return np.where(legal, actions, instead)

    def _on_roof(self, state: GameState) -> Bool:
        """[K, A] turtled, as far as it can be known without `state.contacts`, which are costly to read."""
        seats = self._seats
        on_body: Bool = state.world_contact[seats] & ~state.on_ground[seats]
        return on_body & (state.up[..., 2][seats] < UPSIDE_DOWN)
