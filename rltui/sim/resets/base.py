"""Reset base class, mixture of resets, ranges of parameters, bodies of a first state."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rltui.errors import RltuiError
from rltui.field import BALL_REST_Z, CAR_REST_Z
from rltui.sim.state import ArenaSetup

Span = tuple[float, float]
Vector = tuple[float, float, float]
Rotation = tuple[Vector, Vector, Vector]  # rows of a matrix with columns forward, right, up
STILL: Vector = (0.0, 0.0, 0.0)
BLOCK = 64  # numbers drawn at a time: for a handful of bodies plain floats are several times quicker than arrays
TURN = np.array([-1, -1, 1] * 3 + [-1] * 6 + [1] * 4, np.float32)  # of a car's numbers, by 180° about z
GOAL = (0.0, 5120.0)  # the opponents', on the floor
WAITING_X = 3000.0  # |x| of a car that waits
APART = 400.0  # it keeps this far from the ball and from every other car, seen from above
ASKEW = 0.5  # rad: it looks to the ball, give or take so much


class Reset(ABC):
    """A distribution of first states. Turning the world by 180° and swapping the teams leaves it as it is."""

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    def misfit(self, blue: int, orange: int) -> str:
        """Why it has no states for these team sizes, or ""."""
        return ""

    @abstractmethod
    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """One first state for these team sizes: inside the field, no bodies overlapping, speeds within the limits.

        All randomness comes from `rng`, so that a seed means the same episode.
        """


class MixedReset:
    """Resets mixed by weight: each episode draws one of them, then its state."""

    def __init__(self, resets: Sequence[tuple[Reset, float]]) -> None:
        """Weights at least 0, one of them above; they need not sum to 1."""
        self._resets = [reset for reset, _ in resets]
        shares = np.cumsum([weight for _, weight in resets])
        self._shares = (shares / shares[-1]).tolist()

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """RltuiError names a reset that gives what is no state."""
        draw = rng.random()
        reset = next(reset for reset, share in zip(self._resets, self._shares, strict=True) if draw < share)
        setup = reset.sample(rng, blue, orange)
        problem = setup.problem(blue + orange)
        if problem:
            raise RltuiError(f"reset {type(reset).__name__}: {problem}")
        return setup


def span(doc: str, unit: str, least: float, most: float) -> dict[str, Any]:
    """A dataclass field's metadata: both ends of what a profile sets lie in [least, most]."""
    return {"doc": doc, "unit": unit, "min": float(least), "max": float(most), "span": True}


def check_spans(params: Any) -> None:
    """ValueError names a span that is no pair of numbers, the lower one first."""
    for field in dataclasses.fields(params):
        if not field.metadata.get("span"):
            continue
        value = getattr(params, field.name)
        if not (
            isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]
        ):
            raise ValueError(f"{field.name} must be [low, high] with low <= high, found {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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


class Play(NamedTuple):
    """Ball and the cars that take part, in the view of the scene's own team: it attacks toward +y."""

    ball: Ball
    own: Sequence[Car]
    rivals: Sequence[Car] = ()


class Scene(Reset):
    """One team's scene. Both teams have cars: a fair coin says whose; else it is that of the team which has some.

    The first car of the team plays the scene. Cars that take no part stand on the floor, looking to the ball, at random
    places in what their team is given here as a range of y.
    """

    mates: ClassVar[Span] = (-4500.0, -1500.0)
    opponents: ClassVar[Span] = (2000.0, 4500.0)

    @dataclass(frozen=True)
    class Params(Reset.Params):
        """Subclasses declare their own; every span among them is checked."""

        def __post_init__(self) -> None:
            check_spans(self)

    @abstractmethod
    def play(self, draw: Draw, rivals: bool) -> Play:
        """Draw the scene, with an opponent in it only if there are `rivals`."""

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        draw = Draw(rng)
        is_blue = draw.either() if blue and orange else blue > 0
        own, rivals = (blue, orange) if is_blue else (orange, blue)
        play = self.play(draw, rivals > 0)
        team, others = list(play.own), list(play.rivals)
        for cars, number, zone in ((team, own, self.mates), (others, rivals, self.opponents)):
            while len(cars) < number:
                cars.append(_waiting(draw, zone, play.ball, [*team, *others]))
        return assemble(play.ball, team + others if is_blue else others + team, turned=not is_blue)


def _waiting(draw: Draw, zone: Span, ball: Ball, cars: Sequence[Car]) -> Car:
    taken = [ball.position, *(car.position for car in cars)]
    while True:
        x, y = draw.between(-WAITING_X, WAITING_X), draw.between(*zone)
        if all(math.hypot(x - place[0], y - place[1]) > APART for place in taken):
            break
    yaw = heading((x, y, 0.0), ball.position) + draw.between(-ASKEW, ASKEW)
    return driving(x, y, yaw, 0.0, draw.between(0.0, 100.0))
