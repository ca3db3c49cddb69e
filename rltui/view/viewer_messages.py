"""What the trainer and its viewer say to each other over their pipe: typed msgpack, one message a send_bytes."""

from __future__ import annotations

import msgspec

from rltui.events.commands import OutputLive
from rltui.events.records import Level


class SwitchOutput(msgspec.Struct, frozen=True, tag="switch"):
    """An output on or off. number: echoed in Switched."""

    number: int
    name: str
    on: bool


class Weigh(msgspec.Struct, frozen=True, tag="weigh"):
    """Reward weights that are set by hand, all of them."""

    weights: dict[str, float]


class Close(msgspec.Struct, frozen=True, tag="close"):
    pass


class Playing(msgspec.Struct, frozen=True, tag="playing"):
    """How it goes, twice a second; the first comes when the first moment has been shown."""

    timesteps: int
    address: str
    outputs: list[OutputLive]


class Switched(msgspec.Struct, frozen=True, tag="switched"):
    """What became of a SwitchOutput. problem: why it could not be done, "" where it was."""

    number: int
    detail: str
    problem: str = ""


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """A sentence for people."""

    text: str
    level: Level = "info"


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The viewer raised. Sent just before it exits."""

    reason: str
    trace: str


ToViewer = SwitchOutput | Weigh | Close
FromViewer = Playing | Switched | Noticed | Failed

encode = msgspec.msgpack.Encoder().encode
_to_viewer = msgspec.msgpack.Decoder(ToViewer)
_from_viewer = msgspec.msgpack.Decoder(FromViewer)


def decode_to_viewer(data: bytes) -> ToViewer:
    """Raises msgspec.DecodeError for anything else."""
    message: ToViewer = _to_viewer.decode(data)
    return message


def decode_from_viewer(data: bytes) -> FromViewer:
    """Raises msgspec.DecodeError for anything else."""
    message: FromViewer = _from_viewer.decode(data)
    return message
