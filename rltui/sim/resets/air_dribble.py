"""`air_dribble`: the ball popped up before an airborne car with boost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.resets.bodies import Ball, Car, Draw, Vector, add, ahead, heading, nose_up
from rltui.sim.resets.scene import GOAL, Play, Scene
from rltui.sim.resets.span import Span, span


class AirDribble(Scene):
    """Ball and car fly toward the opponents' goal at nearly the same speed; the car is below and behind, its nose points
    at the ball, and it comes up a little faster.
    """

    @dataclass(frozen=True)
    class Params(Scene.Params):
        height: Span = field(default=(500.0, 1000.0), metadata=span("Height of the ball.", "uu", 450, 1600))
        boost: Span = field(default=(60.0, 100.0), metadata=span("Boost of the car below it.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        place: Vector = (
            draw.between(-2000.0, 2000.0),
            draw.between(-2500.0, 1500.0),
            draw.between(*self.params.height),
        )
        yaw, pace = heading(place, GOAL) + draw.between(-0.3, 0.3), draw.between(500.0, 1000.0)
        motion: Vector = (pace * math.cos(yaw), pace * math.sin(yaw), draw.between(250.0, 500.0))
        rotation = nose_up(yaw, draw.between(0.5, 1.0))
        car = Car(
            add(place, ahead(rotation, -draw.between(220.0, 320.0))),
            rotation,
            add(motion, ahead(rotation, draw.between(50.0, 250.0))),
            draw.between(*self.params.boost),
            on_ground=False,
        )
        return Play(Ball(place, motion), [car])
