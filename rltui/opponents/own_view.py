"""OwnView: cars and ball as each car's own team sees them, the opponents' goal at +y; the ball's path foretold.

A place or direction on the floor plane is one complex number, x + iy, and its height a number beside it: distance,
turning and mirroring are then one operation on an array. Units: uu, uu/s, rad/s, seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.field import BACK_WALL_Y, BALL_DAMPING, BALL_MAX_SPIN, BALL_RADIUS, BALL_REST_Z, GRAVITY, SIDE_WALL_X
from rltui.sim.state import Float, GameState, Seats

Plane = NDArray[np.complex64]

TIMES = (0.15 * np.arange(1, 21)).astype(np.float32)  # s from now, close enough to see every bounce
# s without air drag as far as in TIMES
DRAGGED = ((1 - np.exp(-BALL_DAMPING * TIMES)) / BALL_DAMPING).astype(np.float32)
FALLEN = (GRAVITY / 2 * TIMES**2).astype(np.float32)  # uu that a ball falls from rest
BOUNCE = 0.6  # of the speed at a wall or floor that the ball keeps
FRICTION = 0.35 * GRAVITY  # uu/s² that a sliding ball loses on the floor
ROLLING = BALL_MAX_SPIN * BALL_RADIUS  # uu/s: slower it rolls, and keeps its speed
INSIDE_X, INSIDE_Y = SIDE_WALL_X - BALL_RADIUS, BACK_WALL_Y - BALL_RADIUS  # of the ball's middle
MOUTH_X = 800.0  # |x| of the ball's middle between the posts


class OwnView:
    """Arrays of the shape that `state.on_ground[seats]` has, S: a number for each of these cars."""

    def __init__(self, state: GameState, seats: Seats) -> None:
        every = state.on_ground.shape
        sign = np.broadcast_to(state.team_sign, every)[seats]

        def of_car(vectors: Float) -> tuple[Plane, Float]:
            chosen = vectors[seats]
            return flat(chosen) * sign, chosen[..., 2]

        def of_ball(vectors: Float) -> tuple[Plane, Float]:
            return of_car(np.broadcast_to(vectors[:, None], (*every, 3)))

        self.place, self.height = of_car(state.position)
        self.velocity, self.rise = of_car(state.velocity)
        self.forward, self.forward_z = of_car(state.forward)
        self.up, self.up_z = of_car(state.up)
        self.right: Plane = 1j * (self.up_z * self.forward - self.forward_z * self.up)  # up × forward
        self.right_z: Float = (np.conj(self.up) * self.forward).imag
        self.spin, self.spin_z = of_car(state.angular_velocity)
        self.ball, self.ball_height = of_ball(state.ball_position)
        self.ball_velocity, self.ball_rise = of_ball(state.ball_velocity)
        self.speed: Float = dot(self.velocity, self.forward) + self.rise * self.forward_z  # along the nose
        self.boost: Float = state.boost[seats]
        self.on_ground = state.on_ground[seats]
        timers = np.broadcast_to(state.pad_timers[:, None], (*every, state.pad_timers.shape[1]))[seats]
        self.pad_timers: Float = np.where((sign > 0)[..., None], timers, timers[..., ::-1])

    def bearing(self, place: Plane, height: float) -> tuple[Float, Float]:
        """Of a place: angle from the nose in the car's own plane, positive to the right, in rad; distance in that plane."""
        line, climb = place - self.place, height - self.height
        ahead = dot(line, self.forward) + climb * self.forward_z
        aside = dot(line, self.right) + climb * self.right_z
        return np.arctan2(aside, ahead), np.hypot(ahead, aside)

    def ball_path(self) -> tuple[Plane, Float]:
        """Where the ball's middle will be at TIMES, if nobody touches it: places and heights, [*S, T].

        Walls and floor are taken for flat and bounces for straight; after the second bounce off the floor the ball slides,
        until it is slow enough to roll. A ball on its way into a goal flies on.
        """
        heights, floor = self._ball_heights()
        speed = np.abs(self.ball_velocity)[..., None]
        sliding = np.minimum(floor, np.maximum(speed - ROLLING, 0) / FRICTION)  # s
        shorter = FRICTION * sliding * (floor - sliding / 2)
        seconds = DRAGGED - shorter / np.maximum(speed, 1)  # at the speed of now
        start, velocity = self.ball[..., None], self.ball_velocity[..., None]
        ways_x, ways_y = velocity.real * seconds, velocity.imag * seconds
        x, y = start.real + ways_x, start.imag + ways_y
        over = np.abs(y) - INSIDE_Y
        scores = np.abs(x - ways_x * over / np.maximum(np.abs(ways_y), 1)) < MOUTH_X  # where it crosses the line
        y = np.where((over > 0) & ~scores, np.sign(y) * (INSIDE_Y - BOUNCE * over), y)
        over = np.abs(x) - INSIDE_X
        x = np.where(over > 0, np.sign(x) * (INSIDE_X - BOUNCE * over), x)
        return _complex(x, y), heights

    def _ball_heights(self) -> tuple[Float, Float]:
        """And the seconds since the second bounce, 0 before."""
        fall = np.maximum(self.ball_height - BALL_REST_Z, 0)
        impact = np.sqrt(self.ball_rise**2 + 2 * GRAVITY * fall)  # speed at the floor
        since = TIMES - ((self.ball_rise + impact) / GRAVITY)[..., None]  # the first bounce
        first = BOUNCE * impact[..., None]
        later = since - 2 * first / GRAVITY  # since the second
        flight = fall[..., None] + self.ball_rise[..., None] * TIMES - FALLEN
        hop = first * since - GRAVITY / 2 * since**2
        rest = np.maximum(BOUNCE * first * later - GRAVITY / 2 * later**2, 0)
        return BALL_REST_Z + np.where(since < 0, flight, np.where(later < 0, hop, rest)), np.maximum(later, 0)


def flat(vectors: Float) -> Plane:
    """[…, 3] seen from above."""
    pairs: Plane = np.ascontiguousarray(vectors[..., :2]).view(np.complex64)
    return pairs[..., 0]


def dot(a: Plane, b: Plane) -> Float:
    return a.real * b.real + a.imag * b.imag


def unit(plane: Plane) -> Plane:
    """Of length 1; what has none stays 0."""
    direction: Plane = plane / np.maximum(np.abs(plane), 1e-6)
    return direction


def clipped(plane: Any, x: float, y: float) -> Plane:
    """|x| and |y| at most so."""
    return _complex(_limited(plane.real, x), _limited(plane.imag, y))


def _complex(x: Float, y: Float) -> Plane:
    plane = np.empty(x.shape, np.complex64)
    plane.real, plane.imag = x, y
    return plane


def _limited(values: Float, most: float) -> Float:
    return np.minimum(np.maximum(values, -most), most)
