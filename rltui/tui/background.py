"""Slot for the newest value, guard of late handlers, imports that wait for the first picture."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from textual.widget import Widget

Value = TypeVar("Value")
Owner = TypeVar("Owner", bound="Widget")
Arguments = ParamSpec("Arguments")

FIRST_PICTURE = 2.0  # seconds until it is there for sure, and what was typed meanwhile is done
# Imported by whoever first needs it, or in a quiet moment before: importing all of it would take as long as everything
# else until the first picture.
DEFERRED = (
    "rltui.tui.launcher.screen",
    "rltui.tui.cockpit.screen",
    "rltui.run_state.reader",
    "rltui.supervise.control_client",
    "rltui.run_state.other_run",
    "rltui.tui.browser.screen",
    "rltui.tui.form.screen",
    "rltui.tui.form.session",
)


class Newest(Generic[Value]):
    """Slot between two threads: put() replaces what has not been taken yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._value: Value | None = None
        self._full = False

    def put(self, value: Value) -> bool:
        """True if the slot was empty: the receiver needs a message that there is something to take."""
        with self._lock:
            was_empty = not self._full
            self._value, self._full = value, True
            return was_empty

    def take(self) -> Value | None:
        """The newest value, once; None if nothing has come since."""
        with self._lock:
            value, self._value, self._full = self._value, None, False
            return value


def if_mounted(handler: Callable[Concatenate[Owner, Arguments], None]) -> Callable[Concatenate[Owner, Arguments], None]:
    """Decorator for a handler that may be called late: it does nothing once its screen is being removed, whose parts may be
    gone before it is.
    """

    @functools.wraps(handler)
    def guarded(owner: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        if owner.is_attached and owner.screen.display:
            handler(owner, *args, **kwargs)

    return guarded


def import_deferred() -> None:
    """Until others want the processors: what is left can wait."""
    for module in DEFERRED:
        if is_busy():
            return
        importlib.import_module(module)


def is_busy() -> bool:
    """Whether all processors have had work to do in the last minute. Windows does not say: as if they had."""
    return sys.platform == "win32" or os.getloadavg()[0] > (os.cpu_count() or 1) - 0.5


def begin_imports() -> None:
    """In a thread of their own, so that no key has to wait."""
    threading.Thread(target=import_deferred, name="imports", daemon=True).start()
