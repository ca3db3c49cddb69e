"""Messages between trainer and worker processes, as MessagePack."""

from __future__ import annotations

import msgspec

from rltui.env.frozen_opponents import OpponentSource
from rltui.env.stats import EpisodeStats


class Collect(msgspec.Struct, frozen=True, tag="collect"):
    """Run one rollout with the weights that are in shared memory now."""

    block: int
    timesteps: int  # of training so far: what schedules go by


class Configure(msgspec.Struct, frozen=True, tag="configure"):
    """All settings of a worker, whole: a worker that takes another's place needs no history.

    Flags hold at once, also within a rollout; weights from the next rollout on.
    """

    number: int  # rises; echoed in Configured
    flags: tuple[str, ...] = ()  # debug flags that are on
    weights: dict[str, float] = {}  # of rewards, set by hand, in the place of the profile's
    lines_per_second: float = 0.0  # at most so many debug lines; 0: no limit
    restart_episodes: bool = False  # the next rollout begins with new episodes everywhere
    opponents: tuple[OpponentSource, ...] = ()  # frozen ones, from the next episodes on


class CloseWorker(msgspec.Struct, frozen=True, tag="close"):
    pass


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    pid: int


class Configured(msgspec.Struct, frozen=True, tag="configured"):
    """The Configure of this number is in force."""

    number: int


class DebugLines(msgspec.Struct, frozen=True, tag="said"):
    """Debug lines: (flag, text)."""

    lines: list[tuple[str, str]]


class RolloutDone(msgspec.Struct, frozen=True, tag="done"):
    seconds: float  # wall time of the rollout
    parts: dict[str, float]  # seconds by part
    stats: dict[str, EpisodeStats]  # by arena group
    memory: int  # resident bytes
    steps: int  # that it went: what lies behind them in its block is of earlier rollouts
    refused: dict[str, str] = {}  # opponents that cannot play here, and why
    playing: list[str] = []  # opponents of episodes that go on


class WorkerRaised(msgspec.Struct, frozen=True, tag="failed"):
    """The worker raised: its whole trace. Sent just before it exits."""

    reason: str
    trace: str


ToWorker = Collect | Configure | CloseWorker
FromWorker = Ready | Configured | DebugLines | RolloutDone | WorkerRaised

encode = msgspec.msgpack.Encoder().encode
_to_worker = msgspec.msgpack.Decoder(ToWorker)
_from_worker = msgspec.msgpack.Decoder(FromWorker)


def decode_to_worker(data: bytes) -> ToWorker:
    """Raises msgspec.DecodeError for anything else."""
    message: ToWorker = _to_worker.decode(data)
    return message


def decode_from_worker(data: bytes) -> FromWorker:
    """Raises msgspec.DecodeError for anything else."""
    message: FromWorker = _from_worker.decode(data)
    return message
