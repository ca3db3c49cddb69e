"""`wall`: the ball rolls up a side wall, a car follows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.field import BALL_MAX_SPIN, BALL_RADIUS, CAR_MAX_SPEED, CAR_REST_Z, SIDE_WALL_X
from rltui.sim.resets.bodies import Ball, Car, Draw, Vector, axes, driving, heading
from rltui.sim.resets.scene import Play, Scene
from rltui.sim.resets.span import Span, span

BALL_X = SIDE_WALL_X - BALL_RADIUS - 0.75
CAR_X = SIDE_WALL_X - CAR_REST_Z
FLAT = 290.0  # z: below it the wall bends into the floor
RISE = (0.45, 1.3)  # rad: how steeply the ball goes up, on its way to the opponents' end


class Wall(Scene):
    """The ball rolls up one of the two side walls, toward the opponents' end, and does not come back at once. The car
    drives after it: with equal chance up the wall already, or still on the floor on its way to the wall.
    """

    @dataclass(frozen=True)
    class Params(Scene.Params):
        ball_speed: Span = field(default=(700.0, 1300.0), metadata=span("Speed of the ball.", "uu/s", 300, 2000))
        boost: Span = field(default=(30.0, 100.0), metadata=span("Boost of the car that follows.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        side, angle = draw.sign(), draw.between(*RISE)
        along: Vector = (0.0, math.cos(angle), math.sin(angle))
        speed, behind = draw.between(*self.params.ball_speed), draw.between(280.0, 500.0)
        on_wall = draw.either()
        lowest = FLAT + behind * along[2] if on_wall else FLAT
        place: Vector = (side * BALL_X, draw.between(-2500.0, 1500.0), lowest + draw.between(0.0, 300.0))
        spin = min(speed / BALL_RADIUS, BALL_MAX_SPIN)
        ball = Ball(place, _scaled(along, speed), (0.0, side * spin * along[2], -side * spin * along[1]))
        boost = draw.between(*self.params.boost)
        if not on_wall:
            return Play(ball, [_on_the_floor(draw, side, place, boost)])
        pace = min(speed + draw.between(0.0, 400.0), CAR_MAX_SPEED)
        start = (side * CAR_X, place[1] - behind * along[1], place[2] - behind * along[2])
        return Play(ball, [Car(start, axes(along, (-side, 0.0, 0.0)), _scaled(along, pace), boost)])


def _on_the_floor(draw: Draw, side: float, ball: Vector, boost: float) -> Car:
    """It heads for where the ball will be above."""
    x, y = side * draw.between(2900.0, 3500.0), ball[1] - draw.between(200.0, 700.0)
    return driving(x, y, heading((x, y, 0.0), (ball[0], ball[1] + 300.0)), draw.between(900.0, 1600.0), boost)


def _scaled(direction: Vector, length: float) -> Vector:
    return direction[0] * length, direction[1] * length, direction[2] * length
