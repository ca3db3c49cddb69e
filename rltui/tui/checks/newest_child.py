"""NewestChild: of several children that are asked one after the other, the newest is the one that counts."""

from __future__ import annotations

import threading
from typing import Generic, Protocol, TypeVar


class Endable(Protocol):
    """A child that runs."""

    def end(self) -> None:
        """From another thread: its answer is no longer wanted."""


Child = TypeVar("Child", bound=Endable)


class NewestChild(Generic[Child]):
    """May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.child: Child | None = None

    def take(self, child: Child | None) -> None:
        """This one counts from now on (None: nobody); the one before is ended."""
        with self._lock:
            before, self.child = self.child, child
        if before is not None:
            before.end()

    def release(self, child: Child | None) -> bool:
        """It has ended by itself. False where another has taken its place meanwhile."""
        with self._lock:
            if self.child is not child:
                return False
            self.child = None
            return True
