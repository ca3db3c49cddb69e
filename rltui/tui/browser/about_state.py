"""AboutState: what is told of the state under the cursor: its details, which keys can be used on it, what `u` takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from rltui import formatting
from rltui.tui.browser import state_words
from rltui.tui.browser.parts import StateDetails
from rltui.tui.paint import Line
from rltui.tui.widgets.answer import Answer
from rltui.tui.widgets.footer import Footer

if TYPE_CHECKING:
    from rltui.tui.browser.surroundings import Surroundings
    from rltui.tui.browser.undoing import Undoing
    from rltui.tui.screens.browser import BrowserScreen


class AboutState:
    """Of the browser's screen."""

    def __init__(self, screen: BrowserScreen, around: Surroundings, undoing: Undoing) -> None:
        self._screen, self._around, self._undoing = screen, around, undoing

    def words(self, width: int) -> list[Line]:
        """The details."""
        entry, around = self._screen.entry, self._around
        verdict = around.checks.verdict(entry.path) if entry else ("unchecked", "")
        return state_words.lines(entry, self._screen.library, verdict, around.clock(), width)

    def show(self) -> None:
        """Another state is under the cursor, or more is known of it."""
        details = self._screen.query_one(StateDetails)
        details.border_title = Content(state_words.title(self._screen.entry))
        details.repaint()
        self.show_keys()

    def show_keys(self) -> None:
        """The footer, and above it what can still be taken back."""
        undo, screen = self._undoing.newest, self._screen
        left = undo.until - self._around.clock() if undo else 0.0
        answer: Line = (
            ((f"{undo.words}: u takes it back, {formatting.remaining(left)}", "warn"),) if undo and left > 0 else ()
        )
        labels = {"delete": "Empty"} if screen.node.kind == "trash" else {}
        dimmed = state_words.unusable(screen.entry, readonly=self._around.readonly)
        screen.query_one(Footer).show(labels, dimmed)
        screen.query_one(Answer).say(answer, screen.size.width, 1)
