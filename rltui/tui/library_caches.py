"""Caches of Textual and Rich with thousands of places, which fill for hours with what was of use for a moment.

Each picture has texts, and each layout parts of the screen, that never come again. What does comes back within a picture.
"""

from __future__ import annotations

from rich.cells import cached_cell_len
from textual.geometry import Region

EVERY = 60.0  # seconds
FILLING = (cached_cell_len, Region.intersection, Region.translate)  # measured: of all, these do not stop by themselves


def empty() -> None:
    """To be called every now and then."""
    for cached in FILLING:
        cached.cache_clear()
