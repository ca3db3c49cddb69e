"""`rltui …` that measures its own telemetry. At its end it writes to the file named in TIMED, for each call of the publisher: its
name, seconds by the clock, and how often the thread waited in it (for a lock, a file, a socket; not for its turn on a core).

python -m tests.fakes.timed_trainer train PROFILE …
"""

from __future__ import annotations

import atexit
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rltui.train.publisher import Publisher

CALLS: list[tuple[str, float, int]] = []


def waits() -> int:
    """How often this thread has given up its core by itself."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def timed(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        before, clock = waits(), time.perf_counter()
        try:
            return method(*args)
        finally:
            CALLS.append((name, time.perf_counter() - clock, waits() - before))

    return call


def write() -> None:
    lines = (f"{name} {seconds:.6f} {waited}" for name, seconds, waited in CALLS)
    Path(os.environ["TIMED"]).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    from rltui.__main__ import main

    for name in ("publish", "live"):
        setattr(Publisher, name, timed(name, getattr(Publisher, name)))
    atexit.register(write)
    sys.exit(main())
