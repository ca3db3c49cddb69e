"""What is read from the simulator each step, packed so that the state's arrays are views and need no copying.

`Ball.get_state` and `Car.get_state` beat `Arena.get_gym_state`: that lacks jump, flip and contact fields, works out angles
and the turned view that nobody needs, and visits 34 boost pads, each a cache miss.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import RocketSim
from numpy.typing import NDArray

from rltui.field import PADS
from rltui.sim.state import Bool, Contacts, Float, GameState
from rltui.sim.state_memory import Offsets, find_offsets, gather

SAMPLES = 64  # states of random content: the odds of a flag being found elsewhere are 1 in 2^64
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


def read_ball(ball: Any) -> tuple[Any, ...]:
    """BALL_NUMBERS of a BallState."""
    return (*numbers(ball.pos), *numbers(ball.vel), *numbers(ball.ang_vel))


def read_car(car: Any) -> tuple[Any, ...]:
    """CAR_NUMBERS, then FIELDS of a CarState."""
    axes = car.rot_mat
    body = (*numbers(car.pos), *numbers(car.vel), *numbers(car.ang_vel))
    return (*body, *numbers(axes.forward), *numbers(axes.up), *read_fields(car))


def read_car_with_contacts(car: Any) -> tuple[Any, ...]:
    """The same, then the numbers of CONTACT_FIELDS."""
    return (*read_car(car), *numbers(car.world_contact_normal), *car.wheels_with_contact)


@dataclass(frozen=True)
class Layout:
    """codes: of `struct`, an element each; read: their values from attributes of the simulator's object."""

    codes: str
    read: Callable[[Any], tuple[Any, ...]]

    def pack(self, state: Any) -> bytes:
        return struct.pack(f"={self.codes}", *self.read(state))


BALL = Layout("f" * BALL_NUMBERS, read_ball)
CAR = Layout("f" * CAR_NUMBERS + "".join(code for _, code in FIELDS), read_car)
CAR_WITH_CONTACTS = Layout(CAR.codes + "fff????", read_car_with_contacts)


@functools.cache
def offsets(layout: Layout) -> Offsets | None:
    """Where the simulator's objects have it; None: to be read by attributes. The simulator must have its meshes."""
    random = np.random.default_rng(0)
    arena = RocketSim.Arena(RocketSim.GameMode.THE_VOID)
    car, ball, states = arena.add_car(0), arena.ball, []

    def vector() -> Any:
        return RocketSim.Vec(*random.uniform(-9.0, 9.0, 3).tolist())

    for _ in range(SAMPLES):
        state = RocketSim.BallState() if layout is BALL else RocketSim.CarState()
        state.pos, state.vel, state.ang_vel = vector(), vector(), vector()
        if layout is not BALL:
            state.rot_mat, state.world_contact_normal = RocketSim.RotMat(vector(), vector(), vector()), vector()
            state.wheels_with_contact = tuple(map(bool, random.integers(0, 2, 4)))
            for name, code in FIELDS:
                setattr(state, name, bool(random.integers(2)) if code == "?" else float(random.uniform(0.0, 9.0)))
        owner = ball if layout is BALL else car
        owner.set_state(state)
        states.append(owner.get_state())
    return find_offsets(states, layout.codes, layout.pack)


class Readout:
    """The numbers of K arenas with C cars. The views that it hands out stay valid; `store` changes what they show."""

    def __init__(self, arenas: int, cars: int, contacts: bool = False) -> None:
        """contacts: whether CONTACT_FIELDS are among what is read."""
        fields = FIELDS + CONTACT_FIELDS if contacts else FIELDS
        car = _fields_dtype(fields)
        self.has_contacts = contacts
        # apart from each other: all cars then lie one stride apart, which halves the price of an operation on them
        self._balls, self._cars = np.zeros((arenas, BALL_NUMBERS), np.float32), np.zeros((arenas, cars), car)
        self._parts = _StateRows(self._balls, BALL), _StateRows(self._cars, CAR_WITH_CONTACTS if contacts else CAR)

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

    def store(self, arena: int, balls: Sequence[Any], cars: Sequence[Any]) -> None:
        """Overwrite the arenas from `arena` on with their BallStates, and CarStates of all cars of each."""
        ball, car = self._parts
        ball.store(arena, balls)
        car.store(arena * self._cars.shape[1], cars)


class _StateRows:
    """The rows that the states of balls, or of cars, are written to."""

    def __init__(self, rows: NDArray[Any], layout: Layout) -> None:
        self._layout = layout
        self._bytes = rows.view(np.uint8).reshape(-1, struct.calcsize(f"={layout.codes}"))

    def store(self, first: int, states: Sequence[Any]) -> None:
        rows = self._bytes[first : first + len(states)]
        where = offsets(self._layout)
        if where is not None:
            gather(states, where, rows)
            return
        for row, state in zip(rows, states, strict=True):
            row[:] = np.frombuffer(self._layout.pack(state), np.uint8)


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
    shape = read.field("boost").shape
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
        last_toucher_of=np.full((arenas, 2), -1, np.int64),
        kickoff=np.zeros(arenas, np.bool_),
        goal=np.zeros(arenas, np.int8),
        ball_position=read.ball(0),
        ball_velocity=read.ball(3),
        ball_angular_velocity=read.ball(6),
        position=read.body(0),
        velocity=read.body(3),
        angular_velocity=read.body(6),
        forward=read.body(9),
        up=read.body(12),
        boost=read.field("boost"),
        demo_respawn_timer=np.zeros(shape, np.float32),
        handbrake=read.field("handbrake_val"),
        air_time_since_jump=read.field("air_time_since_jump"),
        flip_time=read.field("flip_time"),
        on_ground=read.field("is_on_ground"),
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
        touch_height=np.zeros(shape, np.float32),
        shots=flags(),
        saves=flags(),
        demos=flags(),
        demoed=flags(),
        pad_picked=np.full(shape, -1, np.int64),
        boost_gained=np.zeros(shape, np.float32),
        pad_timers=np.zeros((arenas, PADS), np.float32),
        previous_actions=np.zeros((*shape, 8), np.float32),
        _contacts=Contacts(np.zeros(shape, np.int8), np.zeros((*shape, 3), np.float32)) if read.has_contacts else None,
    )
