"""`save`: a shot on the own net."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.field import BALL_DAMPING, BALL_REST_Z, GRAVITY
from rltui.sim.resets.bodies import Ball, Car, Draw, Vector, driving, heading
from rltui.sim.resets.scene import Play, Scene
from rltui.sim.resets.span import Span, span

GOAL_Y = -5200.0  # where the ball is to cross
GOAL_X, GOAL_Z = 700.0, (130.0, 500.0)  # |x|, z of where it does
OFF_THE_LINE = 450.0  # the defender does not save it by standing there


class Save(Scene):
    """The ball is shot from midfield, high or along the floor, and goes in if nobody acts. The defender is near the goal
    but not in the way; the shooter comes behind the ball.
    """

    mates = (1500.0, 4500.0)
    opponents = (1500.0, 4500.0)

    @dataclass(frozen=True)
    class Params(Scene.Params):
        ball_speed: Span = field(
            default=(1400.0, 2600.0), metadata=span("Speed of the shot, seen from above.", "uu/s", 1200, 4000)
        )
        boost: Span = field(default=(0.0, 100.0), metadata=span("Boost of defender and shooter.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        target: Vector = (draw.between(-GOAL_X, GOAL_X), GOAL_Y, draw.between(*GOAL_Z))
        x, y, speed = draw.between(-2200.0, 2200.0), draw.between(-2200.0, 300.0), draw.between(*self.params.ball_speed)
        yaw = heading((x, y, 0.0), target)
        z, rise = BALL_REST_Z, 0.0
        if draw.either():
            z = draw.between(BALL_REST_Z, 400.0)
            rise = climb(math.hypot(target[0] - x, target[1] - y), target[2] - z, speed)
        ball = Ball((x, y, z), (speed * math.cos(yaw), speed * math.sin(yaw), rise))
        away = draw.between(400.0, 800.0)
        shooter_x, shooter_y = x - away * math.cos(yaw), y - away * math.sin(yaw)
        defender = self._defender(draw, ball.position, yaw, target)
        boost, pace = draw.between(*self.params.boost), draw.between(600.0, 1400.0)
        return Play(ball, [defender], [driving(shooter_x, shooter_y, yaw, pace, boost)] if rivals else [])

    def _defender(self, draw: Draw, ball: Vector, way: float, target: Vector) -> Car:
        while True:
            x, y = draw.between(-2000.0, 2000.0), draw.between(-4600.0, -3200.0)
            if abs((x - ball[0]) * math.sin(way) - (y - ball[1]) * math.cos(way)) > OFF_THE_LINE:
                break
        yaw = heading((x, y, 0.0), target) + draw.between(-0.5, 0.5)
        return driving(x, y, yaw, draw.between(0.0, 500.0), draw.between(*self.params.boost))


def climb(way: float, up: float, speed: float) -> float:
    """Upward speed (uu/s) with which a ball of this speed over the ground flies `way` along and `up` up, air drag and
    gravity counted.
    """
    k = BALL_DAMPING
    lost = way * k / speed  # share of its speed that the drag takes on the way
    seconds = -math.log(1.0 - lost) / k
    return (up + GRAVITY * seconds / k) * k / lost - GRAVITY / k
