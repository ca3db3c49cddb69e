"""The browser's first line and its lower right side."""

from __future__ import annotations

from collections.abc import Callable

from rltui import formatting
from rltui.tui.browser.library import Library
from rltui.tui.paint import Line, ends, text_line
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.scrolled import Scrolled

BOTH = 100  # columns from which there is room for words and figures


class BrowserTitle(Painted):
    """What is kept, and how much room there is."""

    def __init__(self) -> None:
        super().__init__(name="browser-title")
        self.library: Library | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        words = "  Milestones and checkpoints" if width >= BOTH else "  Browser"
        name: Line = ((" rltui ", "pill-busy"), (words, "strong"))
        library = self.library
        if library is None or not library.complete:
            return [ends(name, text_line("reading … ", "muted"), width)]
        states = [entry for entry in library.entries if entry.kind in ("milestone", "checkpoint")]
        damaged = sum(bool(entry.reason) for entry in states)
        parts = [formatting.plural(len(library.shelves), "run"), formatting.plural(len(states), "state")]
        parts += [formatting.size(sum(entry.bytes or 0 for entry in states))]
        parts += [f"{formatting.size(library.free_bytes)} free"] if library.free_bytes is not None else []
        bad: Line = ((f"✗ {damaged} damaged", "bad"), (" · ", "muted")) if damaged else ()
        return [ends(name, (*bad, (" · ".join(parts) + " ", "muted")), width)]


class StateDetails(Scrolled):
    """Of the highlighted state. The screen sets what it says."""

    def __init__(self, words: Callable[[int], list[Line]]) -> None:
        super().__init__(name="state-details", classes="pane")
        self._words = words

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)
