"""Practice scenes: wall, air dribble, flip reset, jump challenge, ceiling, save, shot, dribble."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rltui.field import (
    BALL_DAMPING,
    BALL_MAX_SPIN,
    BALL_RADIUS,
    BALL_REST_Z,
    CAR_MAX_SPEED,
    CAR_MIDDLE,
    CAR_REST_Z,
    CAR_ROOF,
    CEILING_Z,
    GRAVITY,
    SIDE_WALL_X,
)
from rltui.sim.resets.base import (
    GOAL,
    Ball,
    Car,
    Draw,
    Play,
    Scene,
    Span,
    Vector,
    add,
    ahead,
    axes,
    driving,
    heading,
    nose_up,
    span,
)


class AirDribbleScene(Scene):
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


class CeilingScene(Scene):
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


ON_ROOF = CAR_REST_Z + CAR_ROOF + BALL_RADIUS + 0.5  # z of the ball, a hair above
OFF_MIDDLE = 10.0  # uu forward, back, left, right


class DribbleScene(Scene):
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


class FlipResetScene(Scene):
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


GAP = 200.0  # to the ball, when both arrive
REACHED = (0.4, 0.8)  # s until then


class JumpChallengeScene(Scene):
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


GOAL_Y = -5200.0  # where the ball is to cross
GOAL_X, GOAL_Z = 700.0, (130.0, 500.0)  # |x|, z of where it does
OFF_THE_LINE = 450.0  # the defender does not save it by standing there


class SaveScene(Scene):
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


class ShotScene(Scene):
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


BALL_X = SIDE_WALL_X - BALL_RADIUS - 0.75
CAR_X = SIDE_WALL_X - CAR_REST_Z
FLAT = 290.0  # z: below it the wall bends into the floor
RISE = (0.45, 1.3)  # rad: how steeply the ball goes up, on its way to the opponents' end


class WallScene(Scene):
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
