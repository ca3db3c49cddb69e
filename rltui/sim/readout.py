"""What is read from the simulator each step, packed so that the state's arrays are views and need no copying.

`Ball.get_state` and `Car.get_state` with attribute reads beat `Arena.get_gym_state`: that lacks jump, flip and contact
fields, works out angles and the turned view that nobody needs, and visits 34 boost pads, each a cache miss.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import RocketSim
from numpy.typing import NDArray

from rltui.sim.state import Contacts, Float, GameState, blank_state

BALL_NUMBERS, CAR_NUMBERS = 9, 15  # position, velocity, angular velocity; of a car also forward, up
FIELDS = (  # attribute of CarState, code of `struct`; in all a multiple of four bytes
    ("boost", "f"),
    ("handbrake_val", "f"),
    ("air_time_since_jump", "f"),
    ("flip_time", "f"),
    ("time_spent_boosting", "f"),
    ("is_on_ground", "?"),
    ("has_jumped", "?"),
    ("is_jumping", "?"),
    ("has_flipped", "?"),
    ("has_double_jumped", "?"),
    ("is_supersonic", "?"),
    ("has_world_contact", "?"),
    ("is_demoed", "?"),
)
CONTACT_FIELDS = (("world_contact_normal", "3f"), ("wheels_with_contact", "4?"))
read_fields = attrgetter(*(name for name, _ in FIELDS))  # all in one call: a third of the price of thirteen
numbers = RocketSim.Vec.as_tuple


def read_contact_fields(car: Any) -> tuple[Any, ...]:
    """FIELDS, then the numbers of CONTACT_FIELDS."""
    return (*read_fields(car), *numbers(car.world_contact_normal), *car.wheels_with_contact)


class Readout:
    """The numbers of K arenas with C cars. The views that it hands out stay valid; `store` changes what they show."""

    def __init__(self, arenas: int, cars: int, contacts: bool = False) -> None:
        """contacts: whether CONTACT_FIELDS are among what is read."""
        fields = FIELDS + CONTACT_FIELDS if contacts else FIELDS
        codes = "".join(code for _, code in fields)
        car = _fields_dtype(fields)
        self.has_contacts = contacts
        self._read_fields = read_contact_fields if contacts else read_fields
        # apart from each other: all cars then lie one stride apart, which halves the price of an operation on them
        self._balls, self._cars = np.zeros((arenas, BALL_NUMBERS), np.float32), np.zeros((arenas, cars), car)
        self._bytes = self._balls.data.cast("B"), self._cars.view(np.uint8).data.cast("B")
        arena_codes = f"{BALL_NUMBERS}f", f"{CAR_NUMBERS}f{codes}" * cars
        self._packers = {n: [struct.Struct("=" + codes * n) for codes in arena_codes] for n in {1, arenas}}

    def ball(self, first: int) -> Float:
        """View [K, 3] of the ball's numbers from `first`."""
        view: Float = self._balls[:, first : first + 3]
        return view

    def body(self, first: int) -> Float:
        """View [K, C, 3] of the cars' numbers from `first`."""
        view: Float = self._cars["body"][..., first : first + 3]
        return view

    def field(self, name: str) -> NDArray[Any]:
        """View [K, C], float32 or bool, of one of FIELDS; [K, C, 3 or 4] of one of CONTACT_FIELDS."""
        view: NDArray[Any] = self._cars[name]
        return view

    def append_numbers(
        self, read_ball: Callable[[], Any], readers: Sequence[Callable[[], Any]], balls: list[Any], cars: list[Any]
    ) -> None:
        """Append one arena as `store_all` and `store_one` expect it: its BallState, and the CarState of each car.

        Read one attribute at a time: the objects that the simulator makes for it are then freed and made in the same place.
        """
        floats, fields = numbers, self._read_fields
        ball = read_ball()
        balls += floats(ball.pos)
        balls += floats(ball.vel)
        balls += floats(ball.ang_vel)
        for read in readers:
            car = read()
            axes = car.rot_mat
            cars += floats(car.pos)
            cars += floats(car.vel)
            cars += floats(car.ang_vel)
            cars += floats(axes.forward)
            cars += floats(axes.up)
            cars += fields(car)

    def store_all(self, balls: list[Any], cars: list[Any]) -> None:
        """Overwrite all arenas with what `append_numbers` gave, arena after arena."""
        for packer, target, values in zip(self._packers[len(self._balls)], self._bytes, (balls, cars), strict=True):
            packer.pack_into(target, 0, *values)

    def store_one(self, arena: int, balls: list[Any], cars: list[Any]) -> None:
        """Overwrite one arena."""
        for packer, target, values in zip(self._packers[1], self._bytes, (balls, cars), strict=True):
            packer.pack_into(target, arena * packer.size, *values)


def _fields_dtype(fields: Sequence[tuple[str, str]]) -> np.dtype[np.void]:
    """The dtype of one car as `struct` packs it, without alignment."""
    body = 4 * CAR_NUMBERS
    codes = [code for _, code in fields]
    return np.dtype(
        {
            "names": ["body", *(name for name, _ in fields)],
            "formats": [(np.float32, (CAR_NUMBERS,)), *(_format(code) for code in codes)],
            "offsets": [0, *(body + struct.calcsize("=" + "".join(codes[:i])) for i in range(len(codes)))],
            "itemsize": body + struct.calcsize("=" + "".join(codes)),
        }
    )


def _format(code: str) -> Any:
    """dtype of a code of `struct`: f, ?, or several of them as in 3f."""
    kind = np.float32 if code[-1] == "f" else np.bool_
    return (kind, (int(code[:-1]),)) if code[:-1] else kind


def view_state(read: Readout, team: NDArray[np.int8]) -> GameState:
    """A state whose arrays are views of the readout where they can be; the others are for ArenaBatch to work out."""
    arenas, cars = read.field("boost").shape
    state = replace(
        blank_state(arenas, team),
        ball_position=read.ball(0),
        ball_velocity=read.ball(3),
        ball_angular_velocity=read.ball(6),
        position=read.body(0),
        velocity=read.body(3),
        angular_velocity=read.body(6),
        forward=read.body(9),
        up=read.body(12),
        boost=read.field("boost"),
        handbrake=read.field("handbrake_val"),
        air_time_since_jump=read.field("air_time_since_jump"),
        flip_time=read.field("flip_time"),
        on_ground=read.field("is_on_ground"),
        is_supersonic=read.field("is_supersonic"),
        has_jumped=read.field("has_jumped"),
        is_jumping=read.field("is_jumping"),
        has_flipped=read.field("has_flipped"),
        has_double_jumped=read.field("has_double_jumped"),
        world_contact=read.field("has_world_contact"),
    )
    if read.has_contacts:
        state._contacts = Contacts(np.zeros((arenas, cars), np.int8), np.zeros((arenas, cars, 3), np.float32))
    return state
