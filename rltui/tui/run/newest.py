"""A slot between two threads that holds the newest value only, so that a slow reader never queues anything up."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Newest(Generic[Value]):
    """put() replaces what has not been taken yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._value: Value | None = None
        self._full = False

    def put(self, value: Value) -> bool:
        """True if the slot was empty: the receiver has to be told that there is something to take."""
        with self._lock:
            was_empty = not self._full
            self._value, self._full = value, True
            return was_empty

    def take(self) -> Value | None:
        """The newest value, once; None if nothing has come since."""
        with self._lock:
            value, self._value, self._full = self._value, None, False
            return value
