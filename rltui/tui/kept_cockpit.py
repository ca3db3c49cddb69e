"""The cockpit that the browser was opened from: it rests meanwhile, and comes back as it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from rltui.tui.screens.cockpit import CockpitScreen

_NAME = "kept cockpit"  # installed, since Textual removes what is not once another takes its place


class KeptCockpit:
    """At most one. While it is kept, nobody shows it."""

    def __init__(self, app: App[str]) -> None:
        self._app = app
        self._cockpit: CockpitScreen | None = None

    @property
    def run(self) -> str:
        """Whose cockpit is kept; empty: none is."""
        return self._cockpit.source.name if self._cockpit is not None else ""

    def keep(self, cockpit: CockpitScreen | None) -> None:
        """Before another screen takes its place; None: there is none."""
        self.let_go()
        if cockpit is not None:
            self._app.install_screen(cockpit, _NAME)
            cockpit.rest()
        self._cockpit = cockpit

    def take(self) -> CockpitScreen | None:
        """To be shown again; it is kept no more."""
        cockpit, self._cockpit = self._cockpit, None
        if cockpit is not None:
            self._app.uninstall_screen(cockpit)
            cockpit.wake()
        return cockpit

    def let_go(self) -> None:
        """Another run, or the launcher, is gone to."""
        cockpit, self._cockpit = self._cockpit, None
        if cockpit is not None:
            self._app.uninstall_screen(cockpit)
            cockpit.remove()
