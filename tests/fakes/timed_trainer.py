"""`rltui …` that measures its own telemetry: for each call of `Publisher.publish` or `ControlServer.show` a line in the file named in TIMED.

A line: Unix time, the call's name, its seconds by the clock, how often the thread gave its core up in it (for a lock, a
file, a socket), and how many items then wait to be handed on. Its threads have their names in /proc.

python -m tests.fakes.timed_trainer train PROFILE …
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rltui.train.control.server import ControlServer
from rltui.train.publisher import Publisher
from tests.measure.timed_trainer import name_threads


class Call(NamedTuple):
    """One call of telemetry."""

    time: float
    name: str
    seconds: float
    waits: int
    queued: int


def read(times: Path, since: float) -> list[Call]:
    """The calls from then on (Unix seconds)."""
    lines = (
        line.split() for line in times.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")
    )
    found = (Call(float(t), name, float(s), int(w), int(q)) for t, name, s, w, q in lines)
    return [call for call in found if call.time >= since]


def _waits() -> int:
    """How often this thread has given up its core by itself."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _timed(name: str, method: Callable[..., Any], write: Callable[[str], Any]) -> Callable[..., Any]:
    def call(owner: object, *args: Any) -> Any:
        before, clock = _waits(), time.perf_counter()
        try:
            return method(owner, *args)
        finally:
            seconds, waited = time.perf_counter() - clock, _waits() - before
            thread = owner._writer if isinstance(owner, Publisher) else None
            queued = len(thread._items) if thread is not None else 0
            write(f"{time.time():.3f} {name} {seconds:.6f} {waited} {queued}\n")

    return call


if __name__ == "__main__":
    from rltui.__main__ import main

    name_threads()
    file = Path(os.environ["TIMED"]).open("w", encoding="utf-8", buffering=1)  # noqa: SIM115 - as long as the process
    Publisher.publish = _timed("publish", Publisher.publish, file.write)  # type: ignore[method-assign]
    ControlServer.show = _timed("live", ControlServer.show, file.write)  # type: ignore[method-assign]
    sys.exit(main())
