"""The same game seen from the other side: the field turned by 180° about z, the teams swapped."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.sim.field import PADS
from rltui.sim.state import Contacts, GameState, Int

TURN = np.array([-1, -1, 1], np.float32)
CAR_VECTORS = ("position", "velocity", "angular_velocity", "forward", "up")
BALL_VECTORS = ("ball_position", "ball_velocity", "ball_angular_velocity")
BY_ARENA = ("tick", "last_touch_tick", "kickoff")  # the same from either side


def counterparts(state: GameState) -> Int:
    """For each car of the turned game, the car of this one whose place it takes: orange first."""
    return np.concatenate([np.arange(state.blue, state.cars), np.arange(state.blue)])


def turned(state: GameState) -> GameState:
    """A copy, with the cars in the order of `counterparts`."""
    order = counterparts(state)
    place = np.empty(state.cars, np.int64)
    place[order] = np.arange(state.cars)
    changes: dict[str, Any] = {name: getattr(state, name).copy() for name in BY_ARENA}
    changes |= {name: getattr(state, name) * TURN for name in BALL_VECTORS}
    changes |= {
        "blue": state.orange,
        "orange": state.blue,
        "team": np.repeat(np.array([0, 1], np.int8), [state.orange, state.blue]),
        "team_sign": np.repeat(np.array([1, -1], np.float32), [state.orange, state.blue]),
        "goal": -state.goal,
        "last_toucher": _renumbered(state.last_toucher, place),
        "last_toucher_of": _renumbered(state.last_toucher_of[:, ::-1], place),
        "pad_picked": np.where(state.pad_picked < 0, -1, PADS - 1 - state.pad_picked)[:, order],
        "pad_timers": state.pad_timers[:, ::-1].copy(),
        "_contacts": _contacts(state._contacts, order),
    }
    for field in fields(state):
        if field.name not in changes and not field.name.startswith("_"):
            by_car = getattr(state, field.name)[:, order]
            changes[field.name] = by_car * TURN if field.name in CAR_VECTORS else by_car
    return replace(state, **changes)


def _renumbered(cars: Int, place: Int) -> Int:
    return np.where(cars < 0, -1, place[cars])


def _contacts(contacts: Contacts | None, order: NDArray[np.int64]) -> Contacts | None:
    return None if contacts is None else Contacts(contacts.wheels[:, order], contacts.normal[:, order] * TURN)
