"""A child `rltui` that answers once: what needs the simulator, pydantic or users' code runs there, never here."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence

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
