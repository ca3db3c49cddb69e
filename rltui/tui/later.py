"""What the first picture can do without, by name: imported when it is first asked for, or in a quiet moment before.

Launcher and cockpit need little of each other, and neither needs the browser or the form: importing all of it would take
as long as everything else until the first picture.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from rltui.tui.browser.hash_checks import HashChecks
    from rltui.tui.browser.surroundings import Surroundings
    from rltui.tui.form.session import EditSession
    from rltui.tui.run.runs_on_disk import RunsOnDisk
    from rltui.tui.run.sources import RunFiles
    from rltui.tui.screens.browser import BrowserScreen
    from rltui.tui.screens.cockpit import CockpitScreen
    from rltui.tui.screens.form import FormScreen
    from rltui.tui.screens.launcher import LauncherScreen

Name = Literal[
    "launcher", "cockpit", "run files", "other runs", "browser", "surroundings", "hash checks", "form", "edit session"
]

LATER: Mapping[Name, str] = {
    "launcher": "rltui.tui.screens.launcher:LauncherScreen",
    "cockpit": "rltui.tui.screens.cockpit:CockpitScreen",
    "run files": "rltui.tui.run.sources:RunFiles",
    "other runs": "rltui.tui.run.runs_on_disk:RunsOnDisk",
    "browser": "rltui.tui.screens.browser:BrowserScreen",
    "surroundings": "rltui.tui.browser.surroundings:Surroundings",
    "hash checks": "rltui.tui.browser.hash_checks:HashChecks",
    "form": "rltui.tui.screens.form:FormScreen",
    "edit session": "rltui.tui.form.session:EditSession",
}


@overload
def later(name: Literal["launcher"]) -> type[LauncherScreen]: ...
@overload
def later(name: Literal["cockpit"]) -> type[CockpitScreen]: ...
@overload
def later(name: Literal["run files"]) -> type[RunFiles]: ...
@overload
def later(name: Literal["other runs"]) -> type[RunsOnDisk]: ...
@overload
def later(name: Literal["browser"]) -> type[BrowserScreen]: ...
@overload
def later(name: Literal["surroundings"]) -> type[Surroundings]: ...
@overload
def later(name: Literal["hash checks"]) -> type[HashChecks]: ...
@overload
def later(name: Literal["form"]) -> type[FormScreen]: ...
@overload
def later(name: Literal["edit session"]) -> type[EditSession]: ...


def later(name: Name) -> type[Any]:
    """The class of that name."""
    module, attribute = LATER[name].split(":")
    found: type[Any] = getattr(importlib.import_module(module), attribute)
    return found


def import_the_rest() -> None:
    """For a thread of its own, so that no key has to wait. It ends where others want the processors: what is left can wait."""
    for name in LATER:
        if is_busy():
            return
        later(name)


def is_busy() -> bool:
    """Whether all processors have had work to do in the last minute. Windows does not say: as if they had."""
    return sys.platform == "win32" or os.getloadavg()[0] > (os.cpu_count() or 1) - 0.5
