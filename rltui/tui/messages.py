"""Requests of screens to the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from rltui.errors import RltuiError
    from rltui.supervise.launch import LaunchedTrainer


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


class WatchAsked(Message):
    """A match is to be shown on this terminal by this command."""

    def __init__(self, command: list[str]) -> None:
        super().__init__()
        self.command = command
