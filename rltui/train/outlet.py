"""Outlet: a thread that hands on what others put in, in order, so that none of them waits for a disk or a terminal."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Outlet(threading.Thread, Generic[Item]):
    """`hand_on` is called with each item in this thread and does not raise. most: what comes while so many wait is dropped."""

    def __init__(self, name: str, hand_on: Callable[[Item], None], most: int | None = None) -> None:
        super().__init__(name=name, daemon=True)
        self._hand_on, self._most = hand_on, most
        self._items: queue.SimpleQueue[Item | threading.Event | None] = queue.SimpleQueue()
        self.dropped = 0

    def put(self, item: Item) -> None:
        """Never waits."""
        if self._most is not None and self._items.qsize() >= self._most:
            self.dropped += 1
            return
        self._items.put(item)

    def drain(self, timeout: float) -> bool:
        """Wait until what was put in so far has been handed on; False where that takes longer (seconds)."""
        done = threading.Event()
        self._items.put(done)
        return done.wait(timeout)

    def close(self, timeout: float) -> bool:
        """Hand on what is left and end; False where that takes longer: then the rest is lost with the process."""
        self._items.put(None)
        self.join(timeout)
        return not self.is_alive()

    def run(self) -> None:
        while (item := self._items.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()
            else:
                self._hand_on(item)
