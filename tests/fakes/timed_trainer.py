"""`rltui …` with a stop-watch on its telemetry: for each call that tells of the training a line in the file named in TIMED.

A line: Unix time, the call's name, its seconds by the clock and of processor time, how often the thread gave its core up in
it (for a lock, a file, a socket), how many items then wait to be handed on, and what was told. Without TIMED its threads have
their names in /proc all the same.

python -m tests.fakes.timed_trainer train PROFILE …
"""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "TIMED"


class Call(NamedTuple):
    """One call of telemetry. `frame`, the making of a live frame, contains `live`, the sending of it."""

    time: float
    name: str
    seconds: float
    cpu: float
    waits: int
    queued: int
    told: str


def read(times: Path, since: float) -> list[Call]:
    """The calls from then on (Unix seconds)."""
    lines = (
        line.split() for line in times.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")
    )
    found = (Call(float(t), name, float(s), float(p), int(w), int(q), told) for t, name, s, p, w, q, told in lines)
    return [call for call in found if call.time >= since]


def _waits() -> int:
    """How often this thread has given up its core by itself."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _timed(name: str, method: Callable[..., Any], write: Callable[[str], Any]) -> Callable[..., Any]:
    def call(owner: Any, *args: Any) -> Any:
        before, cpu, clock = _waits(), time.thread_time(), time.perf_counter()
        try:
            return method(owner, *args)
        finally:
            seconds, used, waited = time.perf_counter() - clock, time.thread_time() - cpu, _waits() - before
            thread = getattr(owner, "_writer", None)
            queued = len(thread._items) if thread is not None else 0
            told = type(args[-1] if args else owner).__name__
            write(f"{time.time():.3f} {name} {seconds:.6f} {used:.6f} {waited} {queued} {told}\n")

    return call


def watch(times: Path) -> None:
    """Time what tells the world of the training, from now on."""
    from rltui.train.control.server import ControlServer
    from rltui.train.live_controls import LiveControls
    from rltui.train.publisher import Publisher

    write = times.open("w", encoding="utf-8", buffering=1).write
    Publisher.publish = _timed("publish", Publisher.publish, write)  # type: ignore[method-assign]
    ControlServer.show = _timed("live", ControlServer.show, write)  # type: ignore[method-assign]
    LiveControls._show = _timed("frame", LiveControls._show, write)  # type: ignore[method-assign]


def name_threads() -> None:
    """As threading calls them, from now on."""
    run = threading.Thread.run

    def named(thread: threading.Thread) -> None:
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(thread.name[:15], encoding="utf-8")
        run(thread)

    threading.Thread.run = named  # type: ignore[method-assign]


if __name__ == "__main__":
    from rltui.__main__ import main

    name_threads()
    if VARIABLE in os.environ:
        watch(Path(os.environ.pop(VARIABLE)))
    sys.exit(main())
