"""Newest-wins slot, mounted guard, deferred imports."""

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


Place = TypeVar("Place", bound="Widget")
Heard = ParamSpec("Heard")


def if_mounted(handler: Callable[Concatenate[Place, Heard], None]) -> Callable[Concatenate[Place, Heard], None]:
    """A handler of news that leaves them alone once its screen is going, whose parts may be gone before it is."""

    @functools.wraps(handler)
    def heard(place: Place, /, *args: Heard.args, **kwargs: Heard.kwargs) -> None:
        if place.is_attached and place.screen.display:
            handler(place, *args, **kwargs)

    return heard


# What the first picture can do without: imported by whoever first asks for it, or in a quiet moment before.
#
# Launcher and cockpit need little of each other, and neither needs the browser or the form: importing all of it would take
# as long as everything else until the first picture.

LATER = (
    "rltui.tui.launcher.screen",
    "rltui.tui.cockpit.screen",
    "rltui.run_state.reader",
    "rltui.supervise.control_client",
    "rltui.run_state.other_run",
    "rltui.tui.browser.screen",
    "rltui.tui.browser.verification",
    "rltui.tui.form.screen",
    "rltui.tui.form.session",
)


def import_the_rest() -> None:
    """For a thread of its own, so that no key has to wait. It ends where others want the processors: what is left can wait."""
    for module in LATER:
        if is_busy():
            return
        importlib.import_module(module)


def is_busy() -> bool:
    """Whether all processors have had work to do in the last minute. Windows does not say: as if they had."""
    return sys.platform == "win32" or os.getloadavg()[0] > (os.cpu_count() or 1) - 0.5


# Until the first picture next to nothing of what is made becomes garbage: looking for it would take a seventh of the time.
#
# For the program alone, as commands start it: tests make many in one process.

SOON = 2.0  # seconds after the program has its screen: the picture is there, what was typed meanwhile is done


def begun() -> None:
    """Garbage is left alone from now on. To be called before anything else is imported."""
    gc.disable()


def drawn() -> threading.Thread | None:
    """Garbage is collected again, but for what is there now, which stays. The thread imports what may be wanted next.

    None where `begun` was not called.
    """
    if gc.isenabled():
        return None
    gc.freeze()
    gc.enable()
    rest = threading.Thread(target=import_the_rest, name="imports", daemon=True)
    rest.start()
    return rest
