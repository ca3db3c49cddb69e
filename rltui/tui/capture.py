"""Screenshot, copy, clipboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs.paths import DataDir, name_problem
from rltui.tui.settings import save_layout
from rltui.tui.terminal import clipboard
from rltui.tui.text import plain
from rltui.tui.themes import LIGHT

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from rltui.tui.cockpit.screen import CockpitScreen


def screen_text(screen: Screen[object]) -> str:
    """What is on the screen, row by row, trailing blanks stripped."""
    strips = screen._compositor.render_strips(screen.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


def save_picture(app: App[str], folder: Path) -> Path:
    """Writes `<folder>/<time>.svg` and `.txt`; returns the first. OSError where that cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now():%Y%m%d-%H%M%S}.svg"
    path.write_text(app.export_screenshot(), encoding="utf-8")
    path.with_suffix(".txt").write_text(screen_text(app.screen), encoding="utf-8")
    return path


AGAIN = 15.0  # seconds within which asking again means a file


class Copying:
    """of: what the text is, in a word that a file's name may hold. clock: Unix seconds. folder: for files, as of now.
    write: to the terminal.
    """

    def __init__(
        self, app: App[str], clock: Callable[[], float], folder: Callable[[], Path], write: Callable[[str], None]
    ) -> None:
        self._app, self._clock, self._folder, self._write = app, clock, folder, write
        self._last: tuple[float, str] = (0.0, "")  # when, and the text

    def copy(self, text: str, of: str) -> None:
        """To the clipboard; the same again, soon after: to a file."""
        moment = self._clock()
        when, before = self._last
        if text == before and moment - when <= AGAIN:
            self._last = (0.0, "")
            self.save(text, of)
            return
        self._last = moment, text
        self._app.run_worker(lambda: self._copy(text, of), thread=True, group="copy", exit_on_error=False)

    def save(self, text: str, of: str) -> None:
        """As a file beside the pictures."""
        try:
            path = saved_text(text, self._folder(), of)
        except OSError as error:
            self._app.notify(str(error), title="Not saved", severity="error")
        else:
            self._app.notify(str(path), title="Saved as text")

    def _copy(self, text: str, of: str) -> None:
        """From a thread of its own."""
        app = self._app
        how = clipboard.copy(text, lambda words: app.call_from_thread(self._write, words), os.environ)
        lines = formatting.plural(text.count("\n") + 1, "line")
        told = f"{lines} {how}. Once more saves them as a file." if how else (
            f"{lines} are more than terminals take, and no clipboard tool is here. Once more saves them as a file."
        )  # fmt: skip
        title = f"Copied: {of}" if how else "Not copied"
        app.call_from_thread(app.notify, told, title=title, severity="information" if how else "warning")


def saved_text(text: str, folder: Path, of: str) -> Path:
    """Writes `<folder>/<time>-<of>.txt`; OSError where that cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now():%Y%m%d-%H%M%S}-{of}.txt"
    path.write_text(text + "\n", encoding="utf-8")
    return path


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
