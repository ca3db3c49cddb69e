"""`dribble`: the ball on the roof of a driving car."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.field import BALL_RADIUS, CAR_MIDDLE, CAR_REST_Z, CAR_ROOF
from rltui.sim.resets.bodies import Ball, Draw, driving, heading
from rltui.sim.resets.scene import GOAL, Play, Scene
from rltui.sim.resets.span import Span, span

ON_ROOF = CAR_REST_Z + CAR_ROOF + BALL_RADIUS + 0.5  # z of the ball, a hair above
OFF_MIDDLE = 10.0  # uu forward, back, left, right


class Dribble(Scene):
    """Ball and car move as one toward the opponents' goal."""

    @dataclass(frozen=True)
    class Params(Scene.Params):
        speed: Span = field(default=(300.0, 1200.0), metadata=span("Speed of car and ball.", "uu/s", 0, 2000))
        boost: Span = field(default=(20.0, 100.0), metadata=span("Boost of the car below.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        x, y = draw.between(-2500.0, 2500.0), draw.between(-3500.0, 1500.0)
        yaw = heading((x, y, 0.0), GOAL) + draw.between(-0.5, 0.5)
        car = driving(x, y, yaw, draw.between(*self.params.speed), draw.between(*self.params.boost))
        forward, right = CAR_MIDDLE + draw.between(-OFF_MIDDLE, OFF_MIDDLE), draw.between(-OFF_MIDDLE, OFF_MIDDLE)
        cos, sin = math.cos(yaw), math.sin(yaw)
        return Play(
            Ball((x + forward * cos - right * sin, y + forward * sin + right * cos, ON_ROOF), car.velocity), [car]
        )
