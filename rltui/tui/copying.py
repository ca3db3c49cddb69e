"""Copying what is on the screen: a selection, or the focused pane; asked for again, the same becomes a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.tui.terminal import clipboard

if TYPE_CHECKING:
    from textual.app import App

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
