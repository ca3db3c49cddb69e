"""What reaches the screens from threads, as Textual messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from rltui.tui.checks.preflight import Preflight
    from rltui.tui.launcher.catalog import Catalog
    from rltui.tui.launcher.catalog_tree import Item
    from rltui.tui.launcher.offers import Offer


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


class OfferReady(Message):
    """What launching `item` would do has been worked out, for the catalog of `stamp`."""

    def __init__(self, item: Item, stamp: object, offer: Offer) -> None:
        super().__init__()
        self.item, self.stamp, self.offer = item, stamp, offer


class BrowserAsked(Message):
    """The milestone browser is to be shown. run: whose states; empty for all. state: its folder, to begin at."""

    def __init__(self, run: str = "", state: str = "") -> None:
        super().__init__()
        self.run, self.state = run, state
