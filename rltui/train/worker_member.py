"""Member: one worker as its pool holds it, with its process and its pipe; absent while there is no process for it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Literal

from rltui.train.messages import Failed, FromWorker, RolloutDone, ToWorker, decode_from_worker, encode

State = Literal["absent", "starting", "waiting", "collecting"]


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
class Member:
    """One worker and what is known of it. restarts: how many processes it has had before this one."""

    restarts: int = 0
    running: Running | None = None
    state: State = "absent"
    failure: Failed | None = None  # what it said before it exited
    done: RolloutDone | None = None  # of the running iteration
    newest: RolloutDone | None = None
    obeys: int = 0  # number of the newest order in force
    since: float = field(default_factory=time.monotonic)  # of the state

    def begin(self, running: Running) -> None:
        """There is a process for it now."""
        self.running = running
        self.enter("starting")

    def enter(self, state: State) -> None:
        self.state, self.since = state, time.monotonic()

    @property
    def pid(self) -> int | None:
        return self.running.process.pid if self.running else None

    @property
    def alive(self) -> bool:
        return self.running is not None and self.running.process.is_alive()

    def waited_for(self) -> list[Connection | int]:
        """What becomes ready when it says something, or ends."""
        if self.running is None:
            return []
        pipe: list[Connection | int] = [] if self.running.pipe.closed else [self.running.pipe]
        return [*pipe, self.running.process.sentinel]

    def said(self) -> Iterator[FromWorker]:
        """What it has said since, one by one, without waiting."""
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

    def kill(self) -> None:
        if self.running is not None and self.running.process.is_alive():
            self.running.process.kill()

    def join(self, seconds: float) -> None:
        """Wait so long for its end."""
        if self.running is not None:
            self.running.process.join(seconds)

    def let_go(self) -> None:
        """It has been killed or has ended: nothing of it stays."""
        if self.running is not None:
            self.running.process.join()
            self.running.pipe.close()
