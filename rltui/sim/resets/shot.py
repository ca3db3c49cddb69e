"""`shot`: an open ball before the opponents' goal."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.field import BALL_REST_Z
from rltui.sim.resets.bodies import Ball, Draw, driving, heading
from rltui.sim.resets.scene import GOAL, Play, Scene
from rltui.sim.resets.span import Span, span


class Shot(Scene):
    """A loose ball in the opponents' half, rolling or bouncing; the car drives at it from behind. Nobody is at the goal:
    all others are on the half behind it.
    """

    mates = (-4500.0, -800.0)
    opponents = (-4500.0, -800.0)

    @dataclass(frozen=True)
    class Params(Scene.Params):
        distance: Span = field(default=(600.0, 1600.0), metadata=span("From the car to the ball.", "uu", 300, 1600))
        ball_speed: Span = field(
            default=(0.0, 800.0), metadata=span("Speed of the ball, in any direction.", "uu/s", 0, 2000)
        )
        boost: Span = field(default=(20.0, 100.0), metadata=span("Boost of the car that shoots.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        x, y = draw.between(-2000.0, 2000.0), draw.between(1000.0, 3500.0)
        way, speed = draw.between(-math.pi, math.pi), draw.between(*self.params.ball_speed)
        z, rise = (draw.between(BALL_REST_Z, 300.0), draw.between(0.0, 400.0)) if draw.either() else (BALL_REST_Z, 0.0)
        ball = Ball((x, y, z), (speed * math.cos(way), speed * math.sin(way), rise))
        line, away = heading((x, y, 0.0), GOAL) + draw.between(-0.6, 0.6), draw.between(*self.params.distance)
        start_x, start_y = x - away * math.cos(line), y - away * math.sin(line)
        yaw, pace = line + draw.between(-0.25, 0.25), draw.between(300.0, 1400.0)
        return Play(ball, [driving(start_x, start_y, yaw, pace, draw.between(*self.params.boost))])
