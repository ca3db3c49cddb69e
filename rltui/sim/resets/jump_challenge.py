"""`jump_challenge`: a ball at jump height between two cars."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.sim.resets.bodies import Ball, Car, Draw, driving
from rltui.sim.resets.scene import Play, Scene
from rltui.sim.resets.span import Span, span

GAP = 200.0  # to the ball, when both arrive
REACHED = (0.4, 0.8)  # s until then


class JumpChallenge(Scene):
    """Two cars drive at the ball from opposite sides, each from its own half's, and would reach it at the same time while
    it hangs at the height of a jump.
    """

    opponents = (2500.0, 4500.0)
    mates = (-4500.0, -2500.0)

    @dataclass(frozen=True)
    class Params(Scene.Params):
        height: Span = field(default=(200.0, 330.0), metadata=span("Height of the ball.", "uu", 100, 600))
        boost: Span = field(default=(0.0, 100.0), metadata=span("Boost of the two cars.", "boost", 0, 100))

    params: Params

    def play(self, draw: Draw, rivals: bool) -> Play:
        x, y, z = draw.between(-2000.0, 2000.0), draw.between(-2000.0, 2000.0), draw.between(*self.params.height)
        motion = (draw.between(-100.0, 100.0), draw.between(-100.0, 100.0), draw.between(150.0, 400.0))
        seconds, yaw = draw.between(*REACHED), math.pi / 2 + draw.between(-1.0, 1.0)

        def challenger(yaw: float) -> Car:
            speed = draw.between(600.0, 1400.0)
            away = GAP + seconds * speed
            start_x, start_y = x - away * math.cos(yaw), y - away * math.sin(yaw)
            boost = draw.between(*self.params.boost)
            return driving(start_x, start_y, yaw + draw.between(-0.15, 0.15), speed, boost)

        return Play(Ball((x, y, z), motion), [challenger(yaw)], [challenger(yaw + math.pi)] if rivals else [])
