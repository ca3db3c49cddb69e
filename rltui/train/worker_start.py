"""WorkerStarter: a worker's process from the system; and Pauses: when that is tried again where there was no room for one."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rltui.supervise.child import start_piped
from rltui.train.actor import ActorSpec
from rltui.train.shared_rollout import SharedRollout
from rltui.train.worker import WorkerSpec, main
from rltui.train.worker_member import Running

FIRST, LONGEST = 1.0, 60.0  # seconds of pause before the next try; twice as long each time
LIMITS = {
    errno.EAGAIN: "the limit on processes is reached (ulimit -u, or the container's)",
    errno.ENOMEM: "the machine, or the container, has no memory left",
    errno.EMFILE: "the trainer's limit on open files is reached (ulimit -n)",
    errno.ENFILE: "the machine's limit on open files is reached",
    errno.ENOSPC: "the disk of the temporary folder is full",
}


class WorkerStarter:
    """Starts the workers of one pool."""

    def __init__(self, actor: ActorSpec, shared: SharedRollout) -> None:
        self._actor, self._shared = actor, shared
        self._folder = tempfile.TemporaryDirectory(prefix="rltui-traces-", ignore_cleanup_errors=True)

    def start(self, index: int, restarts: int) -> Running:
        """A fresh process. OSError or MemoryError where the system has no room for it: then nothing of it is left."""
        trace = Path(self._folder.name) / f"worker-{index}-{restarts}.trace"
        trace.parent.mkdir(mode=0o700, exist_ok=True)  # systems clean /tmp, and runs last for weeks
        actor = replace(self._actor, seed=(*self._actor.seed, index, restarts))
        spec = WorkerSpec(index, actor, self._shared.shape, self._shared.memory, str(trace))
        self._shared.heartbeat[index] = time.monotonic()
        return Running(*start_piped(main, spec, f"rltui-worker-{index}"), trace)

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
        self._pause = min(2 * self._pause, LONGEST) or FIRST
        self._due = now + self._pause
        return self._pause

    def succeeded(self) -> None:
        self._pause, self.since = 0.0, None


def why(error: OSError | MemoryError) -> str:
    """Why a process could not be had, and which limit that is."""
    code = errno.ENOMEM if isinstance(error, MemoryError) else error.errno or 0
    words = os.strerror(code) if code else str(error)
    return f"{words}: {LIMITS[code]}" if code in LIMITS else words
