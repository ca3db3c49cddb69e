"""`flip_reset`: a car below and behind a high ball, its flip used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.resets.bodies import Ball, Car, Draw, Vector, heading, nose_up
from rltui.sim.resets.scene import GOAL, Play, Scene
from rltui.sim.resets.span import Span, span


class FlipReset(Scene):
    """The ball floats toward the opponents' goal; the car rises after it with its nose to the ball and no flip left, so
    that four wheels on the ball bring something: a new one.
    """

    @dataclass(frozen=True)
    class Params(Scene.Params):
        height: Span = field(default=(900.0, 1500.0), metadata=span("Height of the ball.", "uu", 600, 1700))
        boost: Span = field(default=(60.0, 100.0), metadata=span("Boost of the car below it.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        x, y, z = draw.between(-2000.0, 2000.0), draw.between(-2500.0, 1500.0), draw.between(*self.params.height)
        yaw, pace = heading((x, y, z), GOAL) + draw.between(-0.3, 0.3), draw.between(400.0, 900.0)
        cos, sin, rise = math.cos(yaw), math.sin(yaw), draw.between(-100.0, 300.0)
        behind, below = draw.between(150.0, 350.0), draw.between(250.0, 450.0)
        faster, climb = draw.between(50.0, 250.0), draw.between(200.0, 400.0)
        motion: Vector = (pace * cos, pace * sin, rise)
        car = Car(
            (x - behind * cos, y - behind * sin, z - below),
            nose_up(yaw, math.atan2(below, behind)),
            ((pace + faster) * cos, (pace + faster) * sin, rise + climb),
            draw.between(*self.params.boost),
            on_ground=False,
            flip_used=True,
        )
        return Play(Ball((x, y, z), motion), [car])
