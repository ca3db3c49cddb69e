"""Keeping: what a user takes away from the screen: pictures of it, its text, the way it is laid out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir, name_problem
from rltui.tui.copying import Copying
from rltui.tui.paint import plain
from rltui.tui.pictures import save_picture, screen_text
from rltui.tui.settings.ui_toml import save_layout
from rltui.tui.themes import LIGHT

if TYPE_CHECKING:
    from textual.app import App

    from rltui.tui.screens.cockpit import CockpitScreen


class Keeping:
    """Of the app, which tells what became of it. cockpit: the one that is open, if one is. write: to the terminal."""

    def __init__(
        self,
        app: App[str],
        data: DataDir,
        cockpit: Callable[[], CockpitScreen | None],
        clock: Callable[[], float],
        write: Callable[[str], None],
    ) -> None:
        self._app, self._data, self._cockpit = app, data, cockpit
        self._copying = Copying(app, clock, lambda: self.folder, write)

    @property
    def folder(self) -> Path:
        """Where pictures and copied texts go: the folder of the run that is looked at, else the data folder."""
        cockpit = self._cockpit()
        name = cockpit.source.name if cockpit is not None else ""
        return (self._data.run(name).folder if name and not name_problem(name) else self._data.root) / "screens"

    def picture(self) -> None:
        """The screen as SVG and as text."""
        try:
            path = save_picture(self._app, self.folder)
        except OSError as error:
            self._app.notify(str(error), title="No picture was saved", severity="error")
        else:
            self._app.notify(f"{path}\nand as text beside it", title="Picture saved")

    def selection(self, text: str) -> None:
        """A selected text, to the clipboard."""
        self._copying.copy(text, "selection")

    def copy(self) -> None:
        """What has the focus, as text; the whole screen where that is nothing with lines."""
        cockpit = self._cockpit()
        pane = cockpit.focused_pane() if cockpit is not None and cockpit is self._app.screen else None
        if pane is not None:
            self._copying.copy(plain(pane.lines), pane.pane_id())
        else:
            self._copying.copy(screen_text(self._app.screen).rstrip(), "screen")

    def layout(self, place: Path) -> None:
        """Which panes the slots show, how high they are, light or dark: to ui.toml, as the user asked."""
        cockpit = self._cockpit()
        if cockpit is None:
            return
        theme = "light" if self._app.theme == LIGHT.name else "dark"
        try:
            save_layout(place, cockpit.seating.shows(), cockpit.seating.extra, theme)
        except RltuiError as error:
            self._app.notify(error.message, title="Not saved", severity="error")
            return
        cockpit.seating.keep()
        self._app.notify(str(place), title="Layout saved")
