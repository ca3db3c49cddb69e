"""Textual messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from rltui.errors import RltuiError
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.browser.library import Library
    from rltui.tui.checks.doctor import Preflight
    from rltui.tui.launcher.catalog import Catalog
    from rltui.tui.launcher.plan import LaunchPlan, Start
    from rltui.tui.launcher.tree import Item


class SnapshotReady(Message, bubble=False):
    """The run reader's slot holds a newer RunSnapshot."""


class CatalogReady(Message):
    """What the launcher lists has been read again."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self.catalog = catalog


class PreflightNews(Message):
    """The doctor has gone a step further."""

    def __init__(self, preflight: Preflight) -> None:
        super().__init__()
        self.preflight = preflight


class LaunchPlanReady(Message):
    """What launching `item` would do has been worked out, for the catalog of `stamp`."""

    def __init__(self, item: Item, stamp: object, offer: LaunchPlan) -> None:
        super().__init__()
        self.item, self.stamp, self.offer = item, stamp, offer


class BrowserAsked(Message):
    """The milestone browser is to be shown. run: whose states; empty for all. state: its folder, to begin at."""

    def __init__(self, run: str = "", state: str = "") -> None:
        super().__init__()
        self.run, self.state = run, state


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
