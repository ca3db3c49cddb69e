"""Main function of a worker process: settings in, rollouts and debug lines out."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection

from rltui.errors import users_line
from rltui.supervise.shared_memory import SharedBlock
from rltui.supervise.signals import become_subordinate
from rltui.train.collect.actor import Actor, ActorSpec
from rltui.train.collect.messages import (
    Collect,
    Configure,
    Configured,
    DebugLines,
    Ready,
    WorkerRaised,
    decode_to_worker,
    encode,
)
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout

NICE = 5  # below the trainer, the interface and the user's own programs


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker process is started with: plain data, and the memory."""

    index: int
    actor: ActorSpec
    shape: RolloutShape
    memory: SharedBlock
    trace_path: str  # where a fatal signal leaves its trace


class _Closing(Exception):
    """The trainer asked to close, or is gone."""


def main(spec: WorkerSpec, pipe: Connection) -> None:
    """Entry point of the spawned process."""
    become_subordinate(NICE)
    with open(spec.trace_path, "w", encoding="utf-8") as trace:  # noqa: PTH123 - faulthandler keeps the descriptor
        faulthandler.enable(trace)
        try:
            _serve(spec, pipe)
        except (_Closing, EOFError, BrokenPipeError, ConnectionResetError):
            pass  # the trainer is done with this worker, or dead
        except Exception as error:  # whatever a user's component raised travels whole
            _send_failure(pipe, error)
            raise SystemExit(1) from None
        finally:
            faulthandler.disable()


def _serve(spec: WorkerSpec, pipe: Connection) -> None:
    shared = SharedRollout(spec.shape, spec.memory)
    index = spec.index
    shared.heartbeat[index] = time.monotonic()
    actor = Actor(
        spec.actor,
        shared.arena_cursor[index : index + 1],
        lambda lines: pipe.send_bytes(encode(DebugLines(lines))),
    )
    pipe.send_bytes(encode(Ready(os.getpid())))

    def on_step(t: int) -> None:
        shared.heartbeat[index] = time.monotonic()
        shared.steps_done[index] = t
        while pipe.poll(0):
            _receive(pipe, actor)

    while True:
        message = _receive(pipe, actor)
        if message is not None:
            block = shared.worker_block(message.block, index)
            done = actor.rollout(block, shared.weights, message.timesteps, on_step)
            shared.steps_done[index] = spec.shape.steps
            pipe.send_bytes(encode(done))


def _receive(pipe: Connection, actor: Actor) -> Collect | None:
    """The next message: settings are applied here, what to collect is returned. Raises _Closing."""
    message = decode_to_worker(pipe.recv_bytes())
    if isinstance(message, Collect):
        return message
    if not isinstance(message, Configure):
        raise _Closing
    actor.configure(message)
    pipe.send_bytes(encode(Configured(message.number)))
    return None


def _send_failure(pipe: Connection, error: Exception) -> None:
    place = users_line(error)
    reason = f"{place}: " if place else ""
    with contextlib.suppress(OSError):  # the trainer is gone
        pipe.send_bytes(encode(WorkerRaised(f"{reason}{type(error).__name__}: {error}", traceback.format_exc())))
