"""`random`: ball and cars anywhere, in any motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.field import BALL_MAX_SPIN, BALL_RADIUS, CAR_MAX_SPEED, CAR_MAX_SPIN, CAR_REACH, CAR_REST_Z
from rltui.sim.resets.reset import Reset
from rltui.sim.state import Bool, Float

HALF_X, HALF_Y = 3500.0, 4500.0
DIAGONAL = 7600.0  # |x| + |y|; from 7,650 up a high ball, from 7,700 a car is inside the corner wall and thrown out
BALL_Z = (100.0, 1900.0)
CAR_Z = (150.0, 1950.0)  # in the air
BALL_SPEED = 3000.0
CAR_TO_CAR = 2 * CAR_REACH + 10
CAR_TO_BALL = CAR_REACH + BALL_RADIUS + 10

Numbers = NDArray[np.float64]


class Random(Reset):
    """Positions uniform in the field, directions and orientations uniform on the sphere, speeds and spins uniform up to
    their limits, boost 0–100. A car on the ground stands flat, looks anywhere and moves and turns in the plane.
    """

    @dataclass(frozen=True)
    class Params(Reset.Params):
        cars_on_ground: bool = field(
            default=False, metadata={"doc": "Every car starts on the ground, not only every second."}
        )

        def __post_init__(self) -> None:
            if not isinstance(self.cars_on_ground, bool):
                raise TypeError(f"cars_on_ground must be true or false, found {self.cars_on_ground!r}")

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._cars_on_ground = params.cars_on_ground

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        cars = blue + orange
        ground = rng.random(cars) < (1.0 if self._cars_on_ground else 0.5)
        places = _places(rng, ground)
        velocity = _vectors(rng, np.r_[BALL_SPEED, np.full(cars, CAR_MAX_SPEED)], np.r_[False, ground])
        spin = _vectors(rng, np.r_[BALL_MAX_SPIN, np.full(cars, CAR_MAX_SPIN)], np.zeros(cars + 1, np.bool_))
        spin[1:][ground] = _upright(spin[1:][ground])
        return ArenaSetup(
            ball_position=places[0],
            ball_velocity=velocity[0],
            ball_angular_velocity=spin[0],
            position=places[1:],
            velocity=velocity[1:],
            angular_velocity=spin[1:],
            rotation=_rotations(rng, ground),
            boost=rng.uniform(0.0, 100.0, cars).astype(np.float32),
            on_ground=ground,
        )


def _places(rng: np.random.Generator, ground: Bool) -> Float:
    """[1 + C, 3], the ball first. All are drawn anew while one is in a corner wall or two are too close."""
    low = np.array([-HALF_X, -HALF_Y, CAR_Z[0]])
    span = np.array([2 * HALF_X, 2 * HALF_Y, CAR_Z[1] - CAR_Z[0]])
    while True:
        places = low + span * rng.random((len(ground) + 1, 3))
        places[0, 2] = BALL_Z[0] + (BALL_Z[1] - BALL_Z[0]) / span[2] * (places[0, 2] - CAR_Z[0])
        places[1:, 2][ground] = CAR_REST_Z
        if np.abs(places[:, :2]).sum(axis=1).max() <= DIAGONAL and not _too_close(places):
            placed: Float = places.astype(np.float32)
            return placed


def _too_close(places: Numbers) -> bool:
    gaps = np.sqrt(np.square(places[:, None] - places).sum(axis=2))
    pairs = np.triu_indices(len(places), 1)
    limits = np.where(pairs[0] == 0, CAR_TO_BALL, CAR_TO_CAR)
    return bool((gaps[pairs] < limits).any())


def _vectors(rng: np.random.Generator, limits: Numbers, flat: Bool) -> Float:
    """[n, 3] of uniform direction, in the plane where `flat`, and uniform length up to the limits [n]."""
    z = np.where(flat, 0.0, rng.uniform(-1.0, 1.0, len(limits)))
    angle = rng.uniform(-np.pi, np.pi, len(limits))
    across = np.sqrt(1.0 - z * z)
    lengths = limits * rng.random(len(limits))
    vectors: Float = (lengths * np.stack([across * np.cos(angle), across * np.sin(angle), z])).T.astype(np.float32)
    return vectors


def _upright(vectors: Float) -> Float:
    """[n, 3] of the same lengths, straight up or down."""
    upright = np.zeros_like(vectors)
    upright[:, 2] = np.copysign(np.sqrt(np.square(vectors).sum(axis=1)), vectors[:, 2])
    return upright


def _rotations(rng: np.random.Generator, ground: Bool) -> Float:
    """[C, 3, 3], uniform over all orientations; on the ground uniform over all headings. From random quaternions."""
    quaternions = rng.normal(size=(len(ground), 4))
    quaternions[ground, 1:3] = 0.0
    quaternions /= np.sqrt(np.square(quaternions).sum(axis=1, keepdims=True))
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows, np.float32).transpose(2, 0, 1)
