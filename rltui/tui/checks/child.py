"""One-shot `rltui … --json` children."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

TIMEOUT = 60.0  # seconds
Run = Callable[[Sequence[str]], bytes]


def run_child(command: Sequence[str]) -> bytes:
    """Its standard output, whatever its exit code (1 and 2 come with a report too).

    OSError with its last words where it has printed nothing; subprocess.TimeoutExpired.
    """
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    return answer_of(done.stdout, done.stderr, f"exit code {done.returncode}")


def answer_of(out: bytes, errors: bytes, otherwise: str) -> bytes:
    """The output. OSError with the last line of the errors, or these other words, where there is none."""
    if not out.strip():
        words = errors.decode(errors="replace").strip().splitlines()
        raise OSError(words[-1] if words else otherwise)
    return out


class Endable(Protocol):
    """A child that runs."""

    def end(self) -> None:
        """From another thread: its answer is no longer wanted."""


Child = TypeVar("Child", bound=Endable)


class NewestChild(Generic[Child]):
    """May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.child: Child | None = None

    def take(self, child: Child | None) -> None:
        """This one counts from now on (None: nobody); the one before is ended."""
        with self._lock:
            before, self.child = self.child, child
        if before is not None:
            before.end()

    def release(self, child: Child | None) -> bool:
        """It has ended by itself. False where another has taken its place meanwhile."""
        with self._lock:
            if self.child is not child:
                return False
            self.child = None
            return True
