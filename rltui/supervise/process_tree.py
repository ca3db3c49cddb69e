"""ProcessTree: a process and all that it started, remembered while it lives so that none is missed when it dies."""

from __future__ import annotations

import contextlib
import time

import psutil


class ProcessTree:
    """Who belongs to one process. psutil tells a process from a later one of the same number."""

    def __init__(self, pid: int) -> None:
        """A process that is gone already makes an empty tree."""
        self._members: dict[int, psutil.Process] = {}
        with contextlib.suppress(psutil.NoSuchProcess):
            self._members[pid] = psutil.Process(pid)

    def look(self) -> None:
        """Remember the children of all members; a child whose parent died between two looks belongs to nobody."""
        for process in list(self._members.values()):
            with contextlib.suppress(psutil.Error):
                for child in process.children(recursive=True):
                    self._members.setdefault(child.pid, child)

    def alive(self) -> list[psutil.Process]:
        """The members that still run; a zombie waits for its parent and runs no more."""
        return [process for process in self._members.values() if _runs(process)]

    def terminate(self) -> None:
        """SIGTERM to each that lives."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.terminate()

    def kill(self) -> None:
        """SIGKILL to each that lives, and to what they start meanwhile."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def wait(self, seconds: float) -> bool:
        """Whether all have ended within `seconds`."""
        deadline = time.monotonic() + seconds
        while living := self.alive():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            psutil.wait_procs(living, timeout=min(left, 0.05))
        return True


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
