"""Moment: a match at one instant, as whoever shows it needs it. Plain numbers, so that it crosses any border.

World coordinates; uu, uu/s, rad/s, seconds, boost 0–100, unit vectors. Cars are all blue, then all orange.
"""

from __future__ import annotations

import msgspec

Vector = tuple[float, float, float]


class CarMoment(msgspec.Struct, frozen=True, kw_only=True):
    """One car."""

    team: int  # 0 blue, 1 orange
    position: Vector
    velocity: Vector
    angular_velocity: Vector
    forward: Vector
    up: Vector
    boost: float
    on_ground: bool  # three or more wheels touch any surface
    demolished: bool
    flip_used: bool  # neither flip nor double jump is left
    body_down: bool  # the body, not a wheel, lies on the floor
    controls: tuple[float, ...]  # the eight being played, in the order of actions.action_table.CONTROLS
    touches: int  # of the ball since the match began


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """The whole match. tick: 1/120 s since it began; it goes on over kickoffs."""

    tick: int
    names: tuple[str, str]  # of who plays blue and orange
    score: tuple[int, int]
    goal: int  # +1 blue has just scored, −1 orange, 0 neither
    ball_position: Vector
    ball_velocity: Vector
    ball_angular_velocity: Vector
    cars: tuple[CarMoment, ...]
    pad_timers: tuple[float, ...]  # seconds until available, in RLGym's order
    trail: tuple[Vector, ...] = ()  # where the ball was before, oldest first
