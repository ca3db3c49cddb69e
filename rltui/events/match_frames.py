"""Frames of a match being watched: cars, ball, boost pads, and what each car was paid; plain numbers only."""

from __future__ import annotations

import msgspec

from rltui.events.commands import plain

Vector = tuple[float, float, float]


class CarFrame(msgspec.Struct, frozen=True, kw_only=True):
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


class MatchFrame(msgspec.Struct, frozen=True, kw_only=True):
    """The whole match, in world coordinates: uu, uu/s, rad/s, seconds, boost 0–100, unit vectors. Cars: all blue, then orange.

    tick: 1/120 s since it began; it goes on over kickoffs.
    """

    tick: int
    names: tuple[str, str]  # of who plays blue and orange
    score: tuple[int, int]
    goal: int  # +1 blue has just scored, −1 orange, 0 neither
    ball_position: Vector
    ball_velocity: Vector
    ball_angular_velocity: Vector
    cars: tuple[CarFrame, ...]
    pad_timers: tuple[float, ...]  # seconds until available, in RLGym's order
    trail: tuple[Vector, ...] = ()  # where the ball was before, oldest first


class StepRewards(msgspec.Struct, frozen=True):
    """What each car was paid at one step. tick: of the match, at the step's end."""

    tick: int
    episode: int
    contributions: tuple[tuple[float, ...], ...]  # [cars][components], weighted; a car's sum is its reward
    touches: tuple[int, ...] = ()  # of the ball by each car, in the step's ticks
    goal: int = 0  # +1 blue has scored in it, −1 orange


class Watched(msgspec.Struct, frozen=True):
    """The match now. names: of the reward components. steps: the newest second of them, oldest first, so that frames
    overlap and none is missed with a frame.
    """

    moment: MatchFrame
    episode: int
    timesteps: int  # of the weights being played
    names: tuple[str, ...]
    steps: tuple[StepRewards, ...]


encode = msgspec.json.Encoder(enc_hook=plain).encode
_decoder = msgspec.json.Decoder(Watched)


def decode(frame: bytes) -> Watched:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _decoder.decode(frame)
