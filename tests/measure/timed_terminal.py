"""A pseudo-terminal that notes when bytes come, and how many."""

from __future__ import annotations

import threading
import time
from typing import Any

from tests.fakes.terminal import Terminal


class TimedTerminal(Terminal):
    """Nothing is kept but the bytes since the last key, so that it can run for hours."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.count = 0  # bytes so far
        self.by_second: dict[int, int] = {}
        self._came = threading.Condition()
        super().__init__(*args, **kwargs)

    def latency(self, keys: str, answer: bytes, seconds: float = 5.0) -> float | None:
        """From typing the keys until the answer is on the terminal, in seconds; None where it does not come."""
        with self._came:
            self.raw = b""
            start = time.perf_counter()
            self.type(keys)
            came = self._came.wait_for(lambda: answer in self.raw, seconds)
        return time.perf_counter() - start if came else None

    def _note(self, data: bytes) -> None:
        with self._came:
            self.raw = (self.raw + data)[-(1 << 20) :]
            self.count += len(data)
            second = int(time.monotonic())
            self.by_second[second] = self.by_second.get(second, 0) + len(data)
            self._came.notify_all()
