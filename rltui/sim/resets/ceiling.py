"""`ceiling`: a car drives on the ceiling, the ball flies ahead of it and below."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.field import CAR_REST_Z, CEILING_Z
from rltui.sim.resets.bodies import Ball, Car, Draw, Vector, axes, heading
from rltui.sim.resets.scene import GOAL, Play, Scene
from rltui.sim.resets.span import Span, span


class Ceiling(Scene):
    """Both move toward the opponents' goal. The car has its flip: it falls off without a jump, so it may keep it as long
    as it likes.
    """

    @dataclass(frozen=True)
    class Params(Scene.Params):
        ball_height: Span = field(default=(1000.0, 1500.0), metadata=span("Height of the ball.", "uu", 300, 1700))
        boost: Span = field(default=(50.0, 100.0), metadata=span("Boost of the car on the ceiling.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        x, y = draw.between(-1500.0, 1500.0), draw.between(-3000.0, 500.0)
        yaw, speed = heading((x, y, 0.0), GOAL) + draw.between(-0.3, 0.3), draw.between(800.0, 1500.0)
        cos, sin = math.cos(yaw), math.sin(yaw)
        lead, pace = draw.between(300.0, 800.0), speed * draw.between(0.7, 1.0)
        place: Vector = (x + lead * cos, y + lead * sin, draw.between(*self.params.ball_height))
        car = Car(
            (x, y, CEILING_Z - CAR_REST_Z),
            axes((cos, sin, 0.0), (0.0, 0.0, -1.0)),
            (speed * cos, speed * sin, 0.0),
            draw.between(*self.params.boost),
        )
        return Play(Ball(place, (pace * cos, pace * sin, draw.between(-100.0, 300.0))), [car])
