"""Outlet: a thread that hands on what others put in, in order, so that none of them waits for a disk or a terminal."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

LOOK = 0.05  # seconds between two looks at what has come: waking it would make who puts something in wait for the GIL

Item = TypeVar("Item")


@dataclass
class _Gap:
    """Stands where items were dropped."""

    dropped: int = 0


class Outlet(threading.Thread, Generic[Item]):
    """`hand_on` is called with each item in this thread. most: what comes while so many wait is dropped, and where it
    would have stood, `missed` makes an item of how many that were; None: then nothing tells.

    What they raise is a bug: its first trace is shown, and the items after it are handed on all the same.
    """

    def __init__(
        self,
        name: str,
        hand_on: Callable[[Item], None],
        most: int | None = None,
        missed: Callable[[int], Item | None] = lambda dropped: None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._hand_on, self._most, self._missed = hand_on, most, missed
        self._items: deque[Item | threading.Event | _Gap] = deque()
        self._gap: _Gap | None = None  # the newest that came was dropped into it
        self._wake, self._ending = threading.Event(), False
        self._complained = False

    def put(self, item: Item) -> None:
        """Never waits, and wakes nobody."""
        if self._most is not None and len(self._items) >= self._most:
            self._drop()
        else:
            self._gap = None
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

    def _drop(self) -> None:
        gap = self._gap  # another thread, whose item finds room, forgets it
        if gap is None:
            self._gap = gap = _Gap()
            self._items.append(gap)
        gap.dropped += 1

    def _take(self, item: Item | threading.Event | _Gap) -> None:
        if isinstance(item, threading.Event):
            item.set()
            return
        try:
            told = self._missed(item.dropped) if isinstance(item, _Gap) else item
            if told is not None:
                self._hand_on(told)
        except (
            Exception
        ):  # a thread that ended here would take the journal of the whole run with it, and nobody would know
            if not self._complained:
                self._complained = True
                traceback.print_exc()
