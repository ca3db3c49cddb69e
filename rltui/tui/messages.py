"""Requests of screens to the app, and its words for what nobody foresaw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from rltui.errors import in_words

if TYPE_CHECKING:
    from textual.app import App

    from rltui.errors import RltuiError
    from rltui.supervise.launch import LaunchedTrainer


def unforeseen(app: App[object]) -> Callable[[BaseException], str]:
    """Puts an error into words, with the name of the file in which the app has left its traceback."""
    keep: Callable[[BaseException], str] = getattr(app, "keep_trace", in_words)
    return keep


class BrowserAsked(Message):
    """The milestone browser is to be shown. run: whose states; empty for all. state: its folder, to begin at."""

    def __init__(self, run: str = "", state: str = "") -> None:
        super().__init__()
        self.run, self.state = run, state


class BrowserLeft(Message):
    """Back to where the user came from."""


class RunOpened(Message):
    """A run is to be shown. trainer: the one just launched for it, if so."""

    def __init__(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        super().__init__()
        self.run, self.trainer = run, trainer


class ResumeAsked(Message):
    """A run that has ended is to be trained on."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run


class Refused(Message):
    """Something cannot be done now, with the reason; an action raises it instead."""

    def __init__(self, error: RltuiError) -> None:
        super().__init__()
        self.error = error


class GamesPlayed(Message):
    """Games against another bot have come to an end, and to this."""

    def __init__(self, words: str, *, failed: bool) -> None:
        super().__init__()
        self.words, self.failed = words, failed


class WatchAsked(Message):
    """A match is to be shown on this terminal by this command."""

    def __init__(self, command: list[str]) -> None:
        super().__init__()
        self.command = command
