"""What the viewer says to whoever looks on: frames of a local stream (4-byte length + JSON), newest wins."""

from __future__ import annotations

import msgspec

from rltui.events.moment import Moment


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

    moment: Moment
    episode: int
    timesteps: int  # of the weights being played
    names: tuple[str, ...]
    steps: tuple[StepRewards, ...]


encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(Watched)


def decode(frame: bytes) -> Watched:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _decoder.decode(frame)
