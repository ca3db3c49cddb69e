"""Commands to a running trainer and what it answers, as JSON frames on the control socket (4-byte length + JSON).

client → trainer: Hello once, then Request. trainer → client: Welcome, Accepted / Applied / Refused, Live (newest wins).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

MAX_FRAME = 1 << 20  # bytes; a longer frame closes the connection

RequestId = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    pass


class Resume(msgspec.Struct, frozen=True, tag="resume"):
    pass


class SaveCheckpoint(msgspec.Struct, frozen=True, tag="checkpoint"):
    pass


class SaveMilestone(msgspec.Struct, frozen=True, tag="milestone"):
    pass


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """finish: end the iteration, save, stop; now: save at once, stop; abandon: stop without saving."""

    mode: Literal["finish", "now", "abandon"] = "finish"


class SetLearningRate(msgspec.Struct, frozen=True, tag="learning_rate"):
    """Of the policy, from the next update on; the critic's keeps its proportion. None: back to the profile's schedule."""

    value: float | None


class NextPhase(msgspec.Struct, frozen=True, tag="next_phase"):
    """Go on to the campaign's next phase at the end of the iteration, whatever the bot can do."""


Command = Pause | Resume | SaveCheckpoint | SaveMilestone | Stop | SetLearningRate | NextPhase


def name_of(command: Command) -> str:
    """The command's tag, as people read it: pause, resume, checkpoint, milestone, stop, learning rate, next phase."""
    return str(command.__struct_config__.tag).replace("_", " ")


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    client: str  # who, shown to others: "ada on tower, pid 1234"
    readonly: bool = False
    errand: bool = False  # a command line's one errand: never holds control, may always stop the run
    protocol: int = 1


class Request(msgspec.Struct, frozen=True, tag="request"):
    id: RequestId  # chosen by the client, echoed in the answers
    command: Command


ClientMessage = Hello | Request


class CommandAccepted(msgspec.Struct, frozen=True, tag="accepted"):
    id: int


class CommandApplied(msgspec.Struct, frozen=True, tag="applied"):
    id: int
    detail: str
    seconds: float  # from acceptance


class CommandRefused(msgspec.Struct, frozen=True, tag="refused"):
    id: int
    reason: str


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    run: str
    pid: int
    protocol: int
    controller: str | None  # who holds control; sent again whenever that changes
    you: str = ""  # this client's name as others see it


class WorkerLive(msgspec.Struct, frozen=True):
    """One worker now. Unknown is None."""

    worker: int
    state: str  # starting, waiting, collecting, restarting; in the trainer (serial collector)
    pid: int | None
    steps_per_second: float | None  # over its newest rollout
    arenas: int
    memory_mb: float | None
    heartbeat_age: float | None  # seconds
    restarts: int
    progress: float | None  # 0–1 of the running rollout


class Live(msgspec.Struct, frozen=True, tag="live"):
    """The state within an iteration; newest wins, nothing here must not be missed."""

    time: float
    state: str
    reason: str
    iteration: int
    timesteps: int
    progress: float | None  # 0–1 of the current state's work (collecting, learning)
    workers: list[WorkerLive]
    clients: list[str]
    dropped: int  # live frames this client was too slow for


ServerMessage = Welcome | CommandAccepted | CommandApplied | CommandRefused | Live

encode = msgspec.json.Encoder().encode
_client_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_server_decoder: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)


def decode_from_client(frame: bytes) -> ClientMessage:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _client_decoder.decode(frame)


def decode_from_server(frame: bytes) -> ServerMessage:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _server_decoder.decode(frame)
