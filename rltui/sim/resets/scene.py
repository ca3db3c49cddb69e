"""Scene: what the resets for training one mechanic have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.resets.bodies import Ball, Car, Draw, assemble, driving, heading
from rltui.sim.resets.reset import Reset
from rltui.sim.resets.span import Span, check_spans

GOAL = (0.0, 5120.0)  # the opponents', on the floor
WAITING_X = 3000.0  # |x| of a car that waits
APART = 400.0  # it keeps this far from the ball and from every other car, seen from above
ASKEW = 0.5  # rad: it looks to the ball, give or take so much


class Play(NamedTuple):
    """Ball and the cars that take part, in the view of the scene's own team: it attacks toward +y."""

    ball: Ball
    own: Sequence[Car]
    rivals: Sequence[Car] = ()


class Scene(Reset):
    """One team's scene. Both teams have cars: a fair coin says whose; else it is that of the team which has some.

    The first car of the team plays the scene. Cars that take no part stand on the floor, looking to the ball, at random
    places in what their team is given here as a range of y.
    """

    mates: ClassVar[Span] = (-4500.0, -1500.0)
    opponents: ClassVar[Span] = (2000.0, 4500.0)

    @dataclass(frozen=True)
    class Params(Reset.Params):
        """Subclasses declare their own; every span among them is checked."""

        def __post_init__(self) -> None:
            check_spans(self)

    @abstractmethod
    def play(self, draw: Draw, rivals: bool) -> Play:
        """Draw the scene, with an opponent in it only if there are `rivals`."""

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        draw = Draw(rng)
        is_blue = draw.either() if blue and orange else blue > 0
        own, rivals = (blue, orange) if is_blue else (orange, blue)
        play = self.play(draw, rivals > 0)
        team, others = list(play.own), list(play.rivals)
        for cars, number, zone in ((team, own, self.mates), (others, rivals, self.opponents)):
            while len(cars) < number:
                cars.append(_waiting(draw, zone, play.ball, [*team, *others]))
        return assemble(play.ball, team + others if is_blue else others + team, turned=not is_blue)


def _waiting(draw: Draw, zone: Span, ball: Ball, cars: Sequence[Car]) -> Car:
    taken = [ball.position, *(car.position for car in cars)]
    while True:
        x, y = draw.between(-WAITING_X, WAITING_X), draw.between(*zone)
        if all(math.hypot(x - place[0], y - place[1]) > APART for place in taken):
            break
    yaw = heading((x, y, 0.0), ball.position) + draw.between(-ASKEW, ASKEW)
    return driving(x, y, yaw, 0.0, draw.between(0.0, 100.0))
