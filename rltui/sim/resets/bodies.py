"""Bodies of a first state as plain floats, and the ArenaSetup made of them.

For a handful of bodies plain floats are several times quicker than array operations; one array holds them in the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.field import BALL_REST_Z, CAR_REST_Z

Vector = tuple[float, float, float]
Rotation = tuple[Vector, Vector, Vector]  # rows of a matrix with columns forward, right, up

STILL: Vector = (0.0, 0.0, 0.0)
BLOCK = 64  # numbers drawn at a time
TURN = np.array([-1, -1, 1] * 3 + [-1] * 6 + [1] * 4, np.float32)  # of a car's numbers, by 180° about z


class Ball(NamedTuple):
    """uu, uu/s, rad/s."""

    position: Vector
    velocity: Vector = STILL
    spin: Vector = STILL


class Car(NamedTuple):
    """uu, uu/s, rad/s, boost 0–100."""

    position: Vector
    rotation: Rotation
    velocity: Vector
    boost: float
    on_ground: bool = True  # wheels down, on whatever surface
    spin: Vector = STILL
    flip_used: bool = False
    body_down: bool = False  # the body lies on the floor


class Draw:
    """Uniform random numbers one at a time; they are drawn by the block, which is many times cheaper."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._next = _endless(rng).__next__

    def between(self, low: float, high: float) -> float:
        """Uniform in [low, high)."""
        return low + (high - low) * self._next()

    def either(self) -> bool:
        """A fair coin."""
        return self._next() < 0.5

    def sign(self) -> float:
        """−1 or +1, by a fair coin."""
        return -1.0 if self._next() < 0.5 else 1.0


def _endless(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(BLOCK).tolist()


def level(yaw: float) -> Rotation:
    """A car that stands flat, by its heading."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    return (cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)


def nose_up(yaw: float, pitch: float) -> Rotation:
    """A car with level wings whose nose is raised by `pitch`."""
    cos, sin, across, rise = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    return (across * cos, -sin, -rise * cos), (across * sin, cos, -rise * sin), (rise, 0.0, across)


def axes(forward: Vector, up: Vector) -> Rotation:
    """From two unit vectors at right angles."""
    (a, b, c), (x, y, z) = forward, up
    return (a, y * c - z * b, x), (b, z * a - x * c, y), (c, x * b - y * a, z)


def ahead(rotation: Rotation, length: float) -> Vector:
    """A vector of this length along the car's nose."""
    return rotation[0][0] * length, rotation[1][0] * length, rotation[2][0] * length


def add(one: Vector, other: Vector) -> Vector:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def heading(start: Vector, end: Sequence[float]) -> float:
    """Yaw of the way from start to end."""
    return math.atan2(end[1] - start[1], end[0] - start[0])


def driving(x: float, y: float, yaw: float, speed: float, boost: float) -> Car:
    """A car on the floor that drives straight ahead."""
    rotation = level(yaw)
    return Car((x, y, CAR_REST_Z), rotation, ahead(rotation, speed), boost)


def ball_at_rest(x: float, y: float) -> Ball:
    return Ball((x, y, BALL_REST_Z))


def assemble(ball: Ball, cars: Sequence[Car], turned: bool = False) -> ArenaSetup:
    """cars: all blue, then all orange. turned: everything is turned by 180° about z."""
    numbers = np.array([_numbers(car) for car in cars], np.float32)
    balls = np.array(ball, np.float32)
    if turned:
        numbers *= TURN
        balls *= TURN[:3]
    return ArenaSetup(
        ball_position=balls[0],
        ball_velocity=balls[1],
        ball_angular_velocity=balls[2],
        position=numbers[:, 0:3],
        velocity=numbers[:, 3:6],
        angular_velocity=numbers[:, 6:9],
        rotation=numbers[:, 9:18].reshape(-1, 3, 3),
        boost=numbers[:, 18],
        on_ground=np.array([car.on_ground for car in cars]),
        flip_used=np.array([car.flip_used for car in cars]),
        body_down=np.array([car.body_down for car in cars]),
    )


def _numbers(car: Car) -> tuple[float, ...]:
    rows = car.rotation
    return (*car.position, *car.velocity, *car.spin, *rows[0], *rows[1], *rows[2], car.boost)
