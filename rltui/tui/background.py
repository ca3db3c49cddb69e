"""Slot for the newest value, guard of late handlers, and what waits for the first picture: imports, garbage collection."""

from __future__ import annotations

import functools
import gc
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
    """For a thread of its own, so that no key has to wait. It ends where others want the processors: what is left can wait."""
    for module in DEFERRED:
        if is_busy():
            return
        importlib.import_module(module)


def is_busy() -> bool:
    """Whether all processors have had work to do in the last minute. Windows does not say: as if they had."""
    return sys.platform == "win32" or os.getloadavg()[0] > (os.cpu_count() or 1) - 0.5


def disable_gc() -> None:
    """Until the first picture next to nothing becomes garbage: looking for it would take a seventh of the time.

    For commands, before anything else is imported; tests have many apps in one process.
    """
    gc.disable()


def enable_gc() -> threading.Thread | None:
    """Collect garbage again, but for what is there now, which stays; the thread imports what may be wanted next.

    None where `disable_gc` was not called.
    """
    if gc.isenabled():
        return None
    gc.freeze()
    gc.enable()
    rest = threading.Thread(target=import_deferred, name="imports", daemon=True)
    rest.start()
    return rest
