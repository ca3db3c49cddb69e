"""`turtled`: every car on its roof near the centre."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.field import CAR_HALF_WIDTH, CAR_ROOF
from rltui.sim.resets.bodies import Car, Draw, Vector, assemble, axes, ball_at_rest
from rltui.sim.resets.reset import Reset
from rltui.sim.resets.span import Span, check_spans, span

SINK = 0.45  # uu: so deep a body at rest is in the floor
BALL_OFF = 150.0  # |x| and |y| of the ball
SIDE_BY_SIDE = 300.0  # from car to car of a team
JITTER = 40.0


class Turtled(Reset):
    """Each team's cars lie side by side on its own half, heading anywhere, rolled off flat by up to `roll`, an edge of the
    roof on the floor; a ball at rest between the teams. Only a jump press or the throttle gets them out of it.
    """

    @dataclass(frozen=True)
    class Params(Reset.Params):
        roll: float = field(
            default=0.55, metadata={"doc": "Most that a roof is off flat.", "unit": "rad", "min": 0.0, "max": 0.7}
        )
        spin: float = field(
            default=0.3, metadata={"doc": "Most spin about each axis.", "unit": "rad/s", "min": 0.0, "max": 1.0}
        )
        distance: Span = field(default=(400.0, 1200.0), metadata=span("From the centre to each team.", "uu", 400, 3000))
        boost: float = field(default=33.0, metadata={"doc": "Boost.", "unit": "boost", "min": 0.0, "max": 100.0})

        def __post_init__(self) -> None:
            check_spans(self)

    params: Params

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        draw = Draw(rng)
        ball = ball_at_rest(draw.between(-BALL_OFF, BALL_OFF), draw.between(-BALL_OFF, BALL_OFF))
        cars: list[Car] = []
        for number, half in ((blue, -1.0), (orange, 1.0)):
            y = half * draw.between(*self.params.distance)
            for place in range(number):
                x = SIDE_BY_SIDE * (place - (number - 1) / 2) * -half  # each team from its own left to right
                cars.append(self._turtle(draw, x + draw.between(-JITTER, JITTER), y))
        return assemble(ball, cars)

    def _turtle(self, draw: Draw, x: float, y: float) -> Car:
        limit, spin = self.params.roll, self.params.spin
        yaw, roll = draw.between(-math.pi, math.pi), draw.between(-limit, limit)
        cos, sin, tilt = math.cos(yaw), math.sin(yaw), math.sin(roll)
        up: Vector = (-sin * tilt, cos * tilt, -math.cos(roll))
        height = CAR_ROOF * math.cos(roll) + CAR_HALF_WIDTH * abs(tilt) - SINK
        return Car(
            (x, y, height),
            axes((cos, sin, 0.0), up),
            (0.0, 0.0, 0.0),
            self.params.boost,
            on_ground=False,
            body_down=True,
            spin=(draw.between(-spin, spin), draw.between(-spin, spin), draw.between(-spin, spin)),
        )
