"""What reaches the screens from threads and between them, as Textual messages."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from rltui.tui.catalog import Catalog


class SnapshotReady(Message):
    """The run reader's slot holds a newer RunSnapshot."""


@dataclass
class CatalogReady(Message):
    """What the launcher lists has been read again."""

    catalog: Catalog

    def __post_init__(self) -> None:
        super().__init__()
