"""What trainer and workers say to each other over their pipe: typed msgpack, one message a send_bytes."""

from __future__ import annotations

import msgspec

from rltui.env.episode_stats import EpisodeStats


class Collect(msgspec.Struct, frozen=True, tag="collect"):
    """Run one rollout with the weights that are in shared memory now."""

    block: int
    timesteps: int  # of training so far: what schedules go by


class Close(msgspec.Struct, frozen=True, tag="close"):
    pass


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    pid: int


class RolloutDone(msgspec.Struct, frozen=True, tag="done"):
    seconds: float  # wall time of the rollout
    parts: dict[str, float]  # seconds by part
    stats: dict[str, EpisodeStats]  # by lane
    memory: int  # resident bytes


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The worker raised: its whole trace. Sent just before it exits."""

    reason: str
    trace: str


ToWorker = Collect | Close
FromWorker = Ready | RolloutDone | Failed

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
