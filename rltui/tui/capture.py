"""Pictures of the screen and copied texts: clipboard and files."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rltui import formatting, safe_io
from rltui.errors import RltuiError, in_words
from rltui.tui.terminal import clipboard

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen


def screen_text(screen: Screen[object]) -> str:
    """What is on the screen, row by row, trailing blanks stripped."""
    strips = screen._compositor.render_strips(screen.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


class Capture:
    """Saves pictures, copies texts, and notifies the user. folder: for files, as of now. write: to the terminal."""

    def __init__(self, app: App[str], folder: Callable[[], Path], write: Callable[[str], None]) -> None:
        self._app, self._folder, self._write = app, folder, write
        self._traces: set[str] = set()  # kept already: what is drawn again fails again

    def picture(self) -> None:
        """The screen as `<time>.svg`, and as `.txt` beside it."""
        try:
            path = self._new_path(".svg")
            path.write_text(self._app.export_screenshot(), encoding="utf-8")
            path.with_suffix(".txt").write_text(screen_text(self._app.screen), encoding="utf-8")
        except OSError as error:
            self._app.notify(str(error), title="No picture was saved", severity="error")
        else:
            self._app.notify(f"{path.parent.name}/{path.name}, and .txt", title="Picture saved")

    def keep_trace(self, error: BaseException) -> str:
        """The error in words, with the name of the file that has its traceback now. From any thread."""
        if isinstance(error, RltuiError):
            return in_words(error)
        trace, file = "".join(traceback.format_exception(error)), self._folder() / "tracebacks.txt"
        if trace not in self._traces:
            try:
                file.parent.mkdir(exist_ok=True)
                with safe_io.open_to_append(file) as kept:
                    kept.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n{trace}\n".encode(errors="replace"))
            except OSError as problem:
                return f"{in_words(error)} (no traceback was kept: {safe_io.reason(problem)})"
            self._traces.add(trace)
        return f"{in_words(error)} (traceback: {file.parent.parent.name}/{file.parent.name}/{file.name})"

    def copy(self, text: str, name: str) -> None:
        """To the clipboard; to `<time>-<name>.txt` where nothing takes so much."""
        self._app.run_worker(lambda: self._copy(text, name), thread=True, group="copy", exit_on_error=False)

    def _new_path(self, ending: str) -> Path:
        folder = self._folder()
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{datetime.now():%Y%m%d-%H%M%S}{ending}"

    def _copy(self, text: str, name: str) -> None:
        """In a thread."""
        app = self._app
        how = clipboard.copy(text, lambda sequence: app.call_from_thread(self._write, sequence), os.environ)
        if how:
            words = f"{formatting.plural(text.count(chr(10)) + 1, 'line')} {how}"
            app.call_from_thread(app.notify, words, title=f"Copied: {name}")
        else:
            app.call_from_thread(self._save, text, name)

    def _save(self, text: str, name: str) -> None:
        try:
            path = self._new_path(f"-{name}.txt")
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            self._app.notify(str(error), title="Not copied", severity="error")
        else:
            self._app.notify(f"{path.parent.name}/{path.name}", title="Too long for the clipboard: saved as text")
