"""Outlet: a thread that hands on what others put in, in order, so that none of them waits for a disk or a terminal."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

LOOK = 0.05  # seconds between two looks at what has come: waking it would make who puts something in wait for the GIL

Item = TypeVar("Item")


class Outlet(threading.Thread, Generic[Item]):
    """`hand_on` is called with each item in this thread and does not raise. most: what comes while so many wait is dropped."""

    def __init__(self, name: str, hand_on: Callable[[Item], None], most: int | None = None) -> None:
        super().__init__(name=name, daemon=True)
        self._hand_on, self._most = hand_on, most
        self._items: deque[Item | threading.Event] = deque()
        self._wake, self._ending = threading.Event(), False
        self.dropped = 0

    def put(self, item: Item) -> None:
        """Never waits, and wakes nobody."""
        if self._most is not None and len(self._items) >= self._most:
            self.dropped += 1
        else:
            self._items.append(item)

    def drain(self, timeout: float) -> bool:
        """Wait until what was put in so far has been handed on; False where that takes longer (seconds)."""
        done = threading.Event()
        self._items.append(done)
        self._wake.set()
        return done.wait(timeout)

    def close(self, timeout: float) -> bool:
        """Hand on what is left and end; False where that takes longer: then the rest is lost with the process."""
        self._ending = True
        self._wake.set()
        self.join(timeout)
        return not self.is_alive()

    def run(self) -> None:
        while self._items or not self._ending:
            while self._items:
                self._take(self._items.popleft())
            self._wake.wait(LOOK)
            self._wake.clear()

    def _take(self, item: Item | threading.Event) -> None:
        if isinstance(item, threading.Event):
            item.set()
        else:
            self._hand_on(item)
