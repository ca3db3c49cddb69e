"""What the first picture can do without: imported by whoever first asks for it, or in a quiet moment before.

Launcher and cockpit need little of each other, and neither needs the browser or the form: importing all of it would take
as long as everything else until the first picture.
"""

from __future__ import annotations

import importlib
import os
import sys

LATER = (
    "rltui.tui.screens.launcher",
    "rltui.tui.screens.cockpit",
    "rltui.tui.run.sources",
    "rltui.tui.run.runs_on_disk",
    "rltui.tui.screens.browser",
    "rltui.tui.browser.surroundings",
    "rltui.tui.browser.hash_checks",
    "rltui.tui.screens.form",
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
