"""Until the first picture next to nothing of what is made becomes garbage: looking for it would take a seventh of the time.

For the program alone, as commands start it: tests make many in one process.
"""

from __future__ import annotations

import gc
import threading

from rltui.tui.later import import_the_rest

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
