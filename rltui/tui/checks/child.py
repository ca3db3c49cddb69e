"""Child processes `rltui …`: one answer in JSON, or one that can be ended because only the newest of its kind counts."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from rltui.supervise.signals import exit_words, kill_session, lower_priority, start_session

NICENESS = 15
TIMEOUT = 60.0  # seconds
RLTUI = (sys.executable, "-m", "rltui")
Run = Callable[[Sequence[str]], bytes]  # command → its standard output; for tests to replace
Answer = TypeVar("Answer")


def run_child(command: Sequence[str]) -> bytes:
    """Its standard output, whatever its exit code (1 and 2 come with a report too).

    OSError with its last words where it has printed nothing; subprocess.TimeoutExpired.
    """
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    return output_of(done.stdout, done.stderr, exit_words(done.returncode))


def output_of(out: bytes, errors: bytes, otherwise: str) -> bytes:
    """The output. OSError with the last line of the errors, or these other words, where there is none."""
    if not out.strip():
        words = errors.decode(errors="replace").strip().splitlines()
        raise OSError(words[-1] if words else otherwise)
    return out


def ask(run: Run, answer: msgspec.json.Decoder[Answer], *arguments: str) -> Answer:
    """What `rltui` prints with these arguments. OSError or ValueError without an answer."""
    try:
        return answer.decode(run([*RLTUI, *arguments]))
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from error


class EndableProcess(Protocol):
    """A child that runs."""

    def end(self) -> None:
        """From another thread: its answer is no longer wanted."""


class LinesProcess(EndableProcess, Protocol):
    """One that tells how far it is."""

    def lines(self) -> Iterator[bytes]:
        """Its lines as they come."""

    def finish(self) -> None:
        """From another thread: it is to end by itself, with what it has so far."""


class LinesChild:
    """`rltui … --lines` of low priority, in a session of its own with the processes that it may have.

    Its pipe ends with this program, however that ends, and it with the pipe.
    """

    def __init__(self, command: Sequence[str], errors: int = subprocess.DEVNULL) -> None:
        """errors: where they go, as Popen has it."""
        self._process = start_session(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        lower_priority(self._process.pid, NICENESS)

    def lines(self) -> Iterator[bytes]:
        with self._process as process:
            assert process.stdout is not None
            yield from process.stdout

    def finish(self) -> None:
        self._process.terminate()

    def end(self) -> None:
        kill_session(self._process)
        self._process.kill()


Process = TypeVar("Process", bound=EndableProcess)


class NewestProcess(Generic[Process]):
    """Slot for the one process that counts; whoever takes its place ends it. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.current: Process | None = None

    def replace(self, process: Process | None) -> None:
        """This one counts from now on (None: nobody); the one before is ended."""
        with self._lock:
            before, self.current = self.current, process
        if before is not None:
            before.end()

    def release(self, process: Process | None) -> bool:
        """It has ended by itself. False where another has taken its place meanwhile."""
        with self._lock:
            if self.current is not process:
                return False
            self.current = None
            return True
