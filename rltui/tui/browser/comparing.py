"""Comparing: the two states that are marked, or the marked and the highlighted one, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.browser.pair import compare, to_compare
from rltui.tui.screens.compare import CompareScreen

if TYPE_CHECKING:
    from rltui.tui.browser.shown_states import ShownStates
    from rltui.tui.browser.stage import Stage
    from rltui.tui.browser.surroundings import Surroundings
    from rltui.tui.screens.browser import BrowserScreen


class Comparing:
    """Of the browser's screen."""

    def __init__(self, screen: BrowserScreen, around: Surroundings, states: ShownStates, stage: Stage) -> None:
        self._screen, self._around, self._states, self._stage = screen, around, states, stage

    def show(self) -> None:
        """Says how to choose two where there are not."""
        screen, around = self._screen, self._around
        chosen = to_compare(screen.library, self._states.marked, screen.entry)
        if len(chosen) == 2:
            screen.app.push_screen(CompareScreen(around.data, compare(*chosen), around.clock, around.charts))
        else:
            self._stage.complain(
                f"= compares two: {len(chosen)} marked", "space marks a row; the highlighted one may be the second"
            )
