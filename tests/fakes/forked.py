"""Run a function in a process of its own, to be killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """This process is killed as its parent, the one with this number, ends, however that is; on Linux alone."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # before that
        os._exit(1)


@contextlib.contextmanager
def quick_disk(fallback: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: a kill is a kill, but fsync on a busy disk makes many trials slow."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield fallback
        return
    with tempfile.TemporaryDirectory(prefix="runs-test-", dir=memory) as folder:
        yield Path(folder)


class Forked:
    """A child that runs `function(report)`; what it reports arrives line by line."""

    def __init__(self, function: Callable[[Callable[[str], None]], None]) -> None:
        read, write = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            die_with(parent)
            os.close(read)
            self._run(function, write)
        os.close(write)
        self._read = read
        self._buffer = b""
        self.status: int | None = None

    @staticmethod
    def _run(function: Callable[[Callable[[str], None]], None], write: int) -> None:
        code = 70
        try:
            function(lambda text: (os.write(write, text.encode() + b"\n"), None)[1])
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def lines(self, wanted: int = 0, timeout: float = 10.0) -> list[str]:
        """What has been reported since the last call: once `wanted` lines are there, the child ends, or time is up."""
        deadline = time.monotonic() + timeout
        while self._buffer.count(b"\n") < wanted or not wanted:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._read, 65536) if ready else b""
            if not chunk:
                break
            self._buffer += chunk
        whole, _, self._buffer = self._buffer.rpartition(b"\n")
        return whole.decode().splitlines() if whole else []

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float = 20.0) -> int:
        """Its exit code, or minus the signal that ended it."""
        if self.status is None:
            deadline = time.monotonic() + timeout
            while True:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > deadline:
                    self.kill()
                    raise TimeoutError(f"child {self.pid} still runs")
                select.select([], [], [], 0.002)
            self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def close(self) -> None:
        """Kill it if it still runs, and free the pipe."""
        if self.status is None:
            self.kill()
            self.wait()
        os.close(self._read)

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
