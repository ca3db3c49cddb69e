"""Resets `kickoff`, `random`, `turtled` and `replay`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rltui.errors import RltuiError
from rltui.field import (
    BALL_MAX_SPIN,
    BALL_RADIUS,
    BALL_REST_Z,
    CAR_HALF_WIDTH,
    CAR_MAX_SPEED,
    CAR_MAX_SPIN,
    CAR_REACH,
    CAR_REST_Z,
    CAR_ROOF,
    KICKOFF_BOOST,
)
from rltui.sim.recorded_states import load
from rltui.sim.resets.base import (
    Car,
    Draw,
    Reset,
    Rotation,
    Span,
    Vector,
    assemble,
    axes,
    ball_at_rest,
    check_spans,
    span,
)
from rltui.sim.state import ArenaSetup, Float

SPAWNS = ((-2048.0, -2560.0), (2048.0, -2560.0), (-256.0, -3840.0), (256.0, -3840.0), (0.0, -4608.0))  # of blue
YAWS = (0.25, 0.75, 0.5, 0.5, 0.5)  # of blue, in half turns
HALF_X, HALF_Y = 3500.0, 4500.0
DIAGONAL = 7600.0  # |x| + |y|; from 7,650 up a high ball, from 7,700 a car is inside the corner wall and thrown out
BALL_SPEED = 3000.0
CAR_TO_CAR = 2 * CAR_REACH + 10
CAR_TO_BALL = CAR_REACH + BALL_RADIUS + 10
BALL_DRAWS, CAR_DRAWS = 9, 14
SINK = 0.45  # uu: so deep a body at rest is in the floor
BALL_OFF = 150.0  # |x| and |y| of the ball
SIDE_BY_SIDE = 300.0  # from car to car of a team
JITTER = 40.0


class KickoffReset(Reset):
    """Car i of both teams has the same spawn, turned by 180° for orange (RLGym: KickoffMutator); boost 33.3."""

    def __init__(self, params: Reset.Params) -> None:
        super().__init__(params)
        yaws = np.pi * np.array(YAWS)
        zero, one = np.zeros(5), np.ones(5)
        forward = np.stack([np.cos(yaws), np.sin(yaws), zero], axis=1)
        right = np.stack([-np.sin(yaws), np.cos(yaws), zero], axis=1)
        up = np.stack([zero, zero, one], axis=1)
        self._rotations: Float = np.stack([forward, right, up], axis=2).astype(np.float32)
        self._positions: Float = np.array([(x, y, CAR_REST_Z) for x, y in SPAWNS], np.float32)

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        spawns = rng.permutation(len(SPAWNS))
        spawn = np.concatenate([spawns[:blue], spawns[:orange]])
        turn = np.ones((blue + orange, 3), np.float32)
        turn[blue:, :2] = -1
        return ArenaSetup(
            ball_position=np.array([0.0, 0.0, BALL_REST_Z], np.float32),
            ball_velocity=np.zeros(3, np.float32),
            ball_angular_velocity=np.zeros(3, np.float32),
            position=self._positions[spawn] * turn,
            velocity=np.zeros_like(turn),
            angular_velocity=np.zeros_like(turn),
            rotation=self._rotations[spawn] * turn[:, :, None],
            boost=np.full(blue + orange, KICKOFF_BOOST, np.float32),
            on_ground=np.ones(blue + orange, np.bool_),
            kickoff=True,
        )


class RandomReset(Reset):
    """Positions uniform in the field, directions and orientations uniform on the sphere, speeds and spins uniform up to
    their limits, boost 0–100. A car on the ground stands flat, looks anywhere and moves and turns in the plane.
    """

    @dataclass(frozen=True)
    class Params(Reset.Params):
        cars_on_ground: bool = field(
            default=False, metadata={"doc": "Every car starts on the ground, not only every second."}
        )
        ground_share: float = field(
            default=0.5,
            metadata={
                "doc": "Chance of each car to start on the ground; 1 with cars_on_ground.",
                "unit": "",
                "min": 0.0,
                "max": 1.0,
            },
        )
        car_z: Span = field(default=(150.0, 1950.0), metadata=span("Heights of the cars in the air.", "uu", 100, 1950))
        ball_z: Span = field(default=(100.0, 1900.0), metadata=span("Heights of the ball.", "uu", 94, 1940))
        boost_scale: float = field(
            default=1.0,
            metadata={
                "doc": "Factor of the boost drawn, which never exceeds 100.",
                "unit": "",
                "min": 0.0,
                "max": 100.0,
            },
        )

        def __post_init__(self) -> None:
            if not isinstance(self.cars_on_ground, bool):
                raise TypeError(f"cars_on_ground must be true or false, found {self.cars_on_ground!r}")
            check_spans(self)

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._ground_share = 1.0 if params.cars_on_ground else params.ground_share
        self._car_z, self._ball_z, self._full_boost = params.car_z, params.ball_z, 100.0 * params.boost_scale

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        cars = blue + orange
        while True:  # all is drawn anew when anything overlaps: one in twenty times with six cars
            draws = rng.random(BALL_DRAWS + CAR_DRAWS * cars).tolist()
            ball = draws[:BALL_DRAWS]
            each = [draws[at : at + CAR_DRAWS] for at in range(BALL_DRAWS, len(draws), CAR_DRAWS)]
            ground = [draw[0] < self._ground_share for draw in each]
            ball_place = _place(ball, self._ball_z)
            places = [
                _place(draw[2:], (CAR_REST_Z, CAR_REST_Z) if flat else self._car_z)
                for draw, flat in zip(each, ground, strict=True)
            ]
            if _is_free(ball_place, places):
                break
        drawn = list(zip(each, ground, strict=True))
        return ArenaSetup(
            ball_position=_array(ball_place),
            ball_velocity=_array(_vector(ball[3:], BALL_SPEED, False)),
            ball_angular_velocity=_array(_vector(ball[6:], BALL_MAX_SPIN, False)),
            position=_array(places),
            velocity=_array([_vector(draw[5:], CAR_MAX_SPEED, flat) for draw, flat in drawn]),
            angular_velocity=_array([_spin(draw[8:], flat) for draw, flat in drawn]),
            rotation=_array([_rotation(draw[11:], flat) for draw, flat in drawn]),
            boost=_array([min(self._full_boost * draw[1], 100.0) for draw in each]),
            on_ground=np.array(ground),
        )


def _array(numbers: Sequence[object]) -> Float:
    return np.array(numbers, np.float32)


def _place(draw: Sequence[float], heights: Span) -> Vector:
    low, high = heights
    return HALF_X * (2 * draw[0] - 1), HALF_Y * (2 * draw[1] - 1), low + (high - low) * draw[2]


def _is_free(ball: Vector, cars: Sequence[Vector]) -> bool:
    """No body inside a corner wall, none too close to another for any orientation."""
    if any(abs(x) + abs(y) > DIAGONAL for x, y, _ in (ball, *cars)):
        return False
    if any(math.dist(ball, car) < CAR_TO_BALL for car in cars):
        return False
    return all(math.dist(car, other) >= CAR_TO_CAR for index, car in enumerate(cars) for other in cars[:index])


def _vector(draw: Sequence[float], limit: float, flat: bool) -> Vector:
    """Of uniform direction, in the plane when `flat`, and uniform length up to the limit."""
    z = 0.0 if flat else 2 * draw[0] - 1
    angle = 2 * math.pi * draw[1]
    length = limit * draw[2]
    across = length * math.sqrt(1 - z * z)
    return across * math.cos(angle), across * math.sin(angle), length * z


def _spin(draw: Sequence[float], flat: bool) -> Vector:
    return (0.0, 0.0, CAR_MAX_SPIN * (2 * draw[0] - 1)) if flat else _vector(draw, CAR_MAX_SPIN, False)


def _rotation(draw: Sequence[float], flat: bool) -> Rotation:
    """Rows of a matrix with columns forward, right, up: uniform over all headings when `flat`, else over all rotations,
    by Shoemake's unit quaternion (Graphics Gems III, 1992).
    """
    first, second = 2 * math.pi * draw[0], 2 * math.pi * draw[1]
    share = 0.0 if flat else draw[2]
    x, y = math.sqrt(share) * math.sin(second), math.sqrt(share) * math.cos(second)
    z, w = math.sqrt(1 - share) * math.sin(first), math.sqrt(1 - share) * math.cos(first)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


class TurtledReset(Reset):
    """Each team's cars lie side by side on its own half, heading anywhere, rolled off flat by up to `roll`, an edge of the
    roof on the floor; a ball at rest between the teams. Only a jump press or the throttle gets them out of it.
    """

    @dataclass(frozen=True)
    class Params(Reset.Params):
        roll: float = field(
            default=0.55, metadata={"doc": "Most that a roof is off flat.", "unit": "rad", "min": 0.0, "max": 0.7}
        )
        spin: float = field(
            default=0.3, metadata={"doc": "Most spin about each axis.", "unit": "rad/s", "min": 0.0, "max": 1.0}
        )
        distance: Span = field(default=(400.0, 1200.0), metadata=span("From the centre to each team.", "uu", 400, 3000))
        boost: float = field(default=33.0, metadata={"doc": "Boost.", "unit": "boost", "min": 0.0, "max": 100.0})

        def __post_init__(self) -> None:
            check_spans(self)

    params: Params

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        draw = Draw(rng)
        ball = ball_at_rest(draw.between(-BALL_OFF, BALL_OFF), draw.between(-BALL_OFF, BALL_OFF))
        cars: list[Car] = []
        for number, half in ((blue, -1.0), (orange, 1.0)):
            y = half * draw.between(*self.params.distance)
            for place in range(number):
                x = SIDE_BY_SIDE * (place - (number - 1) / 2) * -half  # each team from its own left to right
                cars.append(self._turtle(draw, x + draw.between(-JITTER, JITTER), y))
        return assemble(ball, cars)

    def _turtle(self, draw: Draw, x: float, y: float) -> Car:
        limit, spin = self.params.roll, self.params.spin
        yaw, roll = draw.between(-math.pi, math.pi), draw.between(-limit, limit)
        cos, sin, tilt = math.cos(yaw), math.sin(yaw), math.sin(roll)
        up: Vector = (-sin * tilt, cos * tilt, -math.cos(roll))
        height = CAR_ROOF * math.cos(roll) + CAR_HALF_WIDTH * abs(tilt) - SINK
        return Car(
            (x, y, height),
            axes((cos, sin, 0.0), up),
            (0.0, 0.0, 0.0),
            self.params.boost,
            on_ground=False,
            body_down=True,
            spin=(draw.between(-spin, spin), draw.between(-spin, spin), draw.between(-spin, spin)),
        )


class ReplayReset(Reset):
    """States from an `.npz` file, each as likely as any other, and as likely turned by 180° with the teams swapped."""

    @dataclass(frozen=True)
    class Params(Reset.Params):
        path: str = field(
            metadata={
                "doc": "An .npz file of recorded states; rltui/sim/recorded_states.py lists its arrays.",
                "file": True,
            }
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._path = params.path
        recorded = load(Path(params.path))
        self._sides = (recorded, recorded.turned())

    def misfit(self, blue: int, orange: int) -> str:
        if any((side.blue, side.orange) == (blue, orange) for side in self._sides):
            return ""
        recorded = self._sides[0]
        return f"{self._path}: blue, orange: expected {blue} and {orange}, found {recorded.blue} and {recorded.orange}"

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """RltuiError when the file has other team sizes."""
        sides = [side for side in self._sides if (side.blue, side.orange) == (blue, orange)]
        if not sides:
            raise RltuiError(self.misfit(blue, orange), exit_code=2)
        drawn = int(rng.integers(len(sides) * len(sides[0])))
        return sides[drawn % len(sides)].setup(drawn // len(sides))
