"""Handle of one worker process: its pipe and state; how it is started, and the pauses after a start that failed."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Literal

from rltui.supervise.output_log import OutputLog
from rltui.supervise.processes import OwnTime, start_piped
from rltui.supervise.signals import ask_trace
from rltui.train.collect.messages import FromWorker, RolloutDone, ToWorker, WorkerRaised, decode_from_worker, encode
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.collect.worker import ActorSpec, WorkerSpec, main

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before the next try; twice as long each time
LIMITS = {
    errno.EAGAIN: "the limit on processes is reached (ulimit -u, or the container's)",
    errno.ENOMEM: "the machine or container is out of memory",
    errno.EMFILE: "the trainer's limit on open files is reached (ulimit -n)",
    errno.ENFILE: "the machine's limit on open files is reached",
    errno.ENOSPC: "the disk of the temporary folder is full",
}
WorkerState = Literal["absent", "starting", "waiting", "collecting"]
Held = Literal["", "stopped", "starved", "busy"]


@dataclass
class Running:
    """What a worker has from the system. trace: where a fatal signal leaves its trace."""

    process: SpawnProcess
    pipe: Connection
    trace: Path

    @property
    def last_trace(self) -> str:
        """What a fatal signal has left; empty where that is nothing, or cannot be read."""
        try:
            return self.trace.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


@dataclass
class WorkerHandle:
    """One worker and what is known of it. restarts: how many processes it has had before this one."""

    restarts: int = 0
    running: Running | None = None
    state: WorkerState = "absent"
    failure: WorkerRaised | None = None  # sent just before it exited
    done: RolloutDone | None = None  # of the running iteration
    newest: RolloutDone | None = None
    applied: int = 0  # number of the newest settings in force
    since: float = field(default_factory=time.monotonic)  # of the state
    own: OwnTime | None = None  # since it fell silent
    asked: bool = False  # where it hangs
    held: Held = ""  # why it is waited for, longer than usual
    warned: set[Held] = field(default_factory=set)  # what it was told to be

    def begin(self, running: Running) -> None:
        """There is a process for it now."""
        self.running = running
        self.enter("starting")

    def enter(self, state: WorkerState) -> None:
        self.state, self.since = state, time.monotonic()

    @property
    def pid(self) -> int | None:
        return self.running.process.pid if self.running else None

    @property
    def alive(self) -> bool:
        return self.running is not None and self.running.process.is_alive()

    def waitables(self) -> list[Connection | int]:
        """What becomes ready when it sends something, or ends."""
        if self.running is None:
            return []
        pipe: list[Connection | int] = [] if self.running.pipe.closed else [self.running.pipe]
        return [*pipe, self.running.process.sentinel]

    def received(self) -> Iterator[FromWorker]:
        """The messages that it has sent since, one by one, without waiting."""
        if self.running is None:
            return
        pipe = self.running.pipe
        try:
            while not pipe.closed and pipe.poll(0):
                yield decode_from_worker(pipe.recv_bytes())
        except (EOFError, OSError):
            pipe.close()

    def send(self, message: ToWorker) -> None:
        if self.running is not None:
            with contextlib.suppress(OSError):  # dead: its sentinel tells
                self.running.pipe.send_bytes(encode(message))

    def ask_trace(self) -> None:
        """Have it write into its trace where it hangs. Not while it starts, for it may not listen yet."""
        self.asked = True
        if self.pid is not None and self.state == "collecting":
            ask_trace(self.pid)

    def kill(self) -> None:
        if self.running is not None and self.running.process.is_alive():
            self.running.process.kill()

    def join(self, seconds: float) -> None:
        """Wait so long for its end."""
        if self.running is not None:
            self.running.process.join(seconds)

    def release(self) -> None:
        """It has been killed or has ended: nothing of it stays."""
        if self.running is not None:
            self.running.process.join()
            self.running.pipe.close()


class WorkerStarter:
    """Starts the workers of one pool."""

    def __init__(self, actor: ActorSpec, shared: SharedRollout, output: OutputLog | None) -> None:
        self._actor, self._shared, self._output = actor, shared, output
        self._folder = tempfile.TemporaryDirectory(prefix="rltui-traces-", ignore_cleanup_errors=True)

    def start(self, index: int, restarts: int) -> Running:
        """A fresh process. OSError or MemoryError where the system has no room for it: then nothing of it is left."""
        trace = Path(self._folder.name) / f"worker-{index}-{restarts}.trace"
        trace.parent.mkdir(mode=0o700, exist_ok=True)  # systems clean /tmp, and runs last for weeks
        actor = replace(self._actor, seed=(*self._actor.seed, index, restarts))
        spec = WorkerSpec(index, actor, self._shared.shape, self._shared.memory, str(trace))
        self._shared.heartbeat[index] = time.monotonic()
        output = self._output.pipe(f"worker {index}") if self._output is not None else None
        return Running(*start_piped(main, spec, f"rltui-worker-{index}", output), trace)

    def close(self) -> None:
        """The traces go."""
        self._folder.cleanup()


class Pauses:
    """Growing pauses between tries, from the first that failed to the one that did not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pause, self._due = 0.0, 0.0
        self.since: float | None = None  # the first that failed; None: the newest did not

    @property
    def over(self) -> bool:
        """Whether the next try is due."""
        return self.since is None or self._clock() >= self._due

    def failed(self) -> float:
        """Seconds until the next try."""
        now = self._clock()
        self.since = now if self.since is None else self.since
        self._pause = min(2 * self._pause, LONGEST_PAUSE) or FIRST_PAUSE
        self._due = now + self._pause
        return self._pause

    def succeeded(self) -> None:
        self._pause, self.since = 0.0, None


def why(error: OSError | MemoryError) -> str:
    """Why a process could not be had, and which limit that is."""
    code = errno.ENOMEM if isinstance(error, MemoryError) else error.errno or 0
    words = os.strerror(code) if code else str(error)
    return f"{words}: {LIMITS[code]}" if code in LIMITS else words
