"""ProcessTree: a process and all that it started, remembered, so that none is missed when the process itself dies."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

import psutil

LOOK_INTERVAL = 0.05  # seconds


class ProcessTree:
    """psutil tells a process from a later one of the same number, so that only what was meant is ever signalled.

    session: the process leads a session of its own; then children whose parent has died are found by it (POSIX).
    """

    def __init__(self, pid: int, session: bool = False) -> None:
        """A process that is gone already makes a tree without it."""
        self._session = pid if session and hasattr(os, "getsid") else None
        self._members: dict[int, psutil.Process] = {}
        self._remember(pid)

    def look(self) -> None:
        """Remember whom the members have started since the last look."""
        for pid in [*self._children(), *self._in_session()]:
            self._remember(pid)

    def alive(self) -> list[psutil.Process]:
        """The members that still run; a zombie runs no more."""
        return [process for process in self._members.values() if _runs(process)]

    def terminate(self) -> None:
        """SIGTERM to each that lives."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.terminate()

    def kill(self) -> None:
        """SIGKILL to each that lives."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def wait(self, seconds: float) -> bool:
        """Whether all have ended within `seconds`. Looks only: waiting would take our own child's exit code from Popen."""
        deadline = time.monotonic() + seconds
        while True:
            self.look()
            if not self.alive():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, LOOK_INTERVAL))

    def _remember(self, pid: int) -> None:
        if pid not in self._members:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._members[pid] = psutil.Process(pid)

    def _children(self) -> Iterator[int]:
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                yield from [child.pid for child in process.children(recursive=True)]

    def _in_session(self) -> Iterator[int]:
        if self._session is None:
            return
        for pid in psutil.pids():
            with contextlib.suppress(OSError):
                if os.getsid(pid) == self._session:
                    yield pid


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
