"""What is read from the simulator each step, laid out so that the state's arrays are views and need no copying.

`Arena.get_gym_state()` gives each body as float32 [2, n]: world coordinates, and the same turned by 180°. `Car.get_state()`
has the fields that it lacks. Both are stored with one copy for all arenas.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.sim.field import PADS
from rltui.sim.state import Bool, Float, GameState

BALL = 25  # numbers of the ball: position, quaternion, velocity, angular velocity, forward, right, up, angles
CAR = 36  # numbers of a car: 11 of its own, then as the ball
DEMOLISHED, ON_GROUND, BOOST = 7, 8, 10  # a car's own numbers that are used
BODY = 11  # where a car's position begins

FIELDS = (  # attribute of CarState, code of `struct`
    ("handbrake_val", "f"),
    ("air_time_since_jump", "f"),
    ("flip_time", "f"),
    ("time_spent_boosting", "f"),
    ("has_jumped", "?"),
    ("is_jumping", "?"),
    ("has_flipped", "?"),
    ("has_double_jumped", "?"),
    ("is_supersonic", "?"),
    ("has_world_contact", "?"),
)
read_fields = attrgetter(*(name for name, _ in FIELDS))  # all in one call: a third of the price of ten


class Readout:
    """Numbers of K arenas with C cars. The views that it hands out stay valid; `store` changes what they show."""

    def __init__(self, arenas: int, cars: int) -> None:
        self._width = BALL + CAR * cars
        self._numbers: Float = np.zeros((arenas, self._width), np.float32)
        self._cars = self._numbers[:, BALL:].reshape(arenas, cars, CAR)
        codes = "".join(code for _, code in FIELDS)
        codes += "x" * (-struct.calcsize("=" + codes) % 4)
        self._records = np.zeros((arenas, cars), _record(codes))
        self._bytes = self._records.view(np.uint8).reshape(-1).data
        self._arena_bytes = self._records[0].nbytes
        self._packers = {n: struct.Struct("=" + codes * (cars * n)) for n in {1, arenas}}

    def ball(self, first: int) -> Float:
        """View [K, 3] of the ball's numbers from `first`."""
        return self._numbers[:, first : first + 3]

    def body(self, first: int) -> Float:
        """View [K, C, 3] of the cars' numbers from `first`, counted as the ball's are."""
        return self._cars[..., BODY + first : BODY + first + 3]

    def number(self, column: int) -> Float:
        """View [K, C] of one of a car's own numbers."""
        return self._cars[..., column]

    def field(self, name: str) -> NDArray[Any]:
        """View [K, C], float32 or bool, of one of FIELDS."""
        view: NDArray[Any] = self._records[name]
        return view

    def store(self, first: int, arrays: Sequence[NDArray[np.float32]], values: Sequence[Any]) -> None:
        """Overwrite one arena, or all of them with first = 0.

        arrays: of each arena `get_gym_state()[2:]`. values: of each car `read_fields(car.get_state())`, all in a row.
        """
        pairs = np.frombuffer(b"".join([array.tobytes("F") for array in arrays]), np.float32)
        rows = pairs.reshape(-1, self._width, 2)
        self._numbers[first : first + len(rows)] = rows[..., 0]
        self._packers[len(rows)].pack_into(self._bytes, first * self._arena_bytes, *values)


def _record(codes: str) -> np.dtype[np.void]:
    """The dtype of one car's fields as `struct` packs them without alignment."""
    offsets = [struct.calcsize("=" + codes[:i]) for i in range(len(FIELDS))]
    return np.dtype(
        {
            "names": [name for name, _ in FIELDS],
            "formats": [np.float32 if code == "f" else np.bool_ for _, code in FIELDS],
            "offsets": offsets,
            "itemsize": struct.calcsize("=" + codes),
        }
    )


def view_state(read: Readout, team: NDArray[np.int8]) -> GameState:
    """A state whose arrays are views of the readout where they can be; the others are for ArenaBatch to work out."""
    shape = read.number(BOOST).shape
    arenas = shape[0]

    def flags() -> Bool:
        return np.zeros(shape, np.bool_)

    return GameState(
        blue=int((team == 0).sum()),
        orange=int((team == 1).sum()),
        team=team,
        team_sign=(1 - 2 * team).astype(np.float32),
        tick=np.zeros(arenas, np.int64),
        last_touch_tick=np.zeros(arenas, np.int64),
        last_toucher=np.full(arenas, -1, np.int64),
        goal=np.zeros(arenas, np.int8),
        ball_position=read.ball(0),
        ball_velocity=read.ball(7),
        ball_angular_velocity=read.ball(10),
        position=read.body(0),
        velocity=read.body(7),
        angular_velocity=read.body(10),
        forward=read.body(13),
        up=read.body(19),
        boost=read.number(BOOST),
        demo_respawn_timer=np.zeros(shape, np.float32),
        handbrake=read.field("handbrake_val"),
        air_time_since_jump=read.field("air_time_since_jump"),
        flip_time=read.field("flip_time"),
        on_ground=flags(),
        is_boosting=flags(),
        is_supersonic=read.field("is_supersonic"),
        is_holding_jump=flags(),
        has_jumped=read.field("has_jumped"),
        is_jumping=read.field("is_jumping"),
        has_flipped=read.field("has_flipped"),
        is_flipping=flags(),
        has_double_jumped=read.field("has_double_jumped"),
        can_flip=flags(),
        world_contact=read.field("has_world_contact"),
        touches=np.zeros(shape, np.int16),
        pad_timers=np.zeros((arenas, PADS), np.float32),
        previous_actions=np.zeros((*shape, 8), np.float32),
    )
