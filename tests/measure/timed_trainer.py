"""`rltui` with a stop-watch on what the trainer tells: python -m tests.measure.timed_trainer train …

Its telemetry is timed call by call; who reads the FIFO that RLTUI_TIMED names gets the figures so far. Its threads get
their names in /proc too, so that their processor time can be told apart.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

VARIABLE = "RLTUI_TIMED"
LONG = 1e-3  # seconds: a call that takes longer is counted
Method = Callable[..., Any]


class Watch:
    """Wall clock and processor time of the calls of one method."""

    def __init__(self) -> None:
        self.calls = 0
        self.cpu = 0.0  # seconds
        self.longest = 0.0  # seconds of wall clock
        self.long_waits = 0  # longer than LONG, and the thread gave the processor up: it waited for something
        self.long_others = 0  # longer than LONG, with the processor taken away or in use
        self.longest_wait = 0.0
        self.waits_of: list[str] = []  # what was told, how long, by which thread

    def timed(self, method: Method) -> Method:
        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            gave_up, cpu, start = _given_up(), time.thread_time(), time.perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self._take(time.perf_counter() - start, time.thread_time() - cpu, _given_up() > gave_up, args[-1])

        return call

    def _take(self, wall: float, cpu: float, waited: bool, told: object) -> None:
        self.calls += 1
        self.cpu += cpu
        self.longest = max(self.longest, wall)
        if waited:
            self.longest_wait = max(self.longest_wait, wall)
        if wall > LONG and waited:
            self.waits_of.append(f"{type(told).__name__} {1000 * wall:.1f} ms, by {threading.current_thread().name}")
        if wall > LONG:
            self.long_waits += waited
            self.long_others += not waited


def _given_up() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def watch(fifo: Path) -> None:
    """Time what tells the world of the training, from now on."""
    from rltui.train.control.server import ControlServer
    from rltui.train.live_controls import LiveControls
    from rltui.train.publisher import Publisher

    watches = {"publish": Watch(), "live": Watch()}
    Publisher.publish = watches["publish"].timed(Publisher.publish)  # type: ignore[method-assign]
    ControlServer.show = watches["live"].timed(ControlServer.show)  # type: ignore[method-assign]
    frames = Watch()
    watches["frame"] = frames
    LiveControls._show = frames.timed(LiveControls._show)  # type: ignore[method-assign]
    threading.Thread(target=_write, args=(fifo, watches), name="stop-watch", daemon=True).start()


def _write(fifo: Path, watches: dict[str, Watch]) -> None:
    pause = threading.Event()
    while True:
        with fifo.open("w", encoding="utf-8") as reader:  # waits for one, without a look at the clock
            reader.write(json.dumps({name: vars(each) for name, each in watches.items()}))
        pause.wait(0.5)  # until that reader has closed its end


def read(fifo: Path) -> dict[str, dict[str, Any]]:
    """The figures of the trainer that writes there."""
    figures: dict[str, dict[str, Any]] = json.loads(fifo.read_text(encoding="utf-8"))
    return figures


def name_threads() -> None:
    """As threading calls them, from now on."""
    run = threading.Thread.run

    def named(thread: threading.Thread) -> None:
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(thread.name[:15], encoding="utf-8")
        run(thread)

    threading.Thread.run = named  # type: ignore[method-assign]


if __name__ == "__main__":
    name_threads()
    if VARIABLE in os.environ:
        watch(Path(os.environ.pop(VARIABLE)))
    from rltui.__main__ import main

    sys.exit(main())
