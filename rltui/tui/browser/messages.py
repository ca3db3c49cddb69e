"""What reaches the browser from its threads, and the app from the browser, as Textual messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from rltui.errors import RltuiError
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.browser.library import Library
    from rltui.tui.browser.starts import Start


class LibraryReady(Message):
    """More of the disk has been read."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library


class StartReady(Message):
    """What resuming would do has been worked out."""

    def __init__(self, start: Start) -> None:
        super().__init__()
        self.start = start


class HashesChecked(Message):
    """Those of another state have been compared."""


class ActDone(Message):
    """An act has ended: words, or the error."""

    def __init__(self, words: str, error: RltuiError | None = None) -> None:
        super().__init__()
        self.words, self.error = words, error


class BrowserLeft(Message):
    """Back to where the user came from."""


class RunOpened(Message):
    """A run is to be shown. trainer: the one just launched for it, if so."""

    def __init__(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        super().__init__()
        self.run, self.trainer = run, trainer


class WatchAsked(Message):
    """A match is to be shown on this terminal by this command."""

    def __init__(self, command: list[str]) -> None:
        super().__init__()
        self.command = command
