"""SaidBelow: the cockpit's last lines: what became of the newest command, why a key did nothing, and the footer's keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.actions import in_footer
from rltui.tui.paint import Line
from rltui.tui.panes.pane import View
from rltui.tui.run.answers import SHOWN, answer_line
from rltui.tui.run.condition import condition
from rltui.tui.widgets.answer import Answer
from rltui.tui.widgets.footer import Footer

if TYPE_CHECKING:
    from rltui.tui.screens.cockpit import CockpitScreen


class SaidBelow:
    """Of the cockpit's screen."""

    def __init__(self, screen: CockpitScreen) -> None:
        self._screen = screen
        self._note: tuple[Line, float] | None = None  # why a key did nothing, and when that was (Unix seconds)

    def say(self, words: Line, now: float) -> None:
        """Until a command is sent."""
        self._note = words, now

    def forget(self) -> None:
        """A command is sent: its answer is what counts."""
        self._note = None

    def show(self, view: View, *, leaving: bool) -> None:
        """The footer and the line above it. leaving: the run is being stopped, and the program ends with it."""
        actions, screen = in_footer("cockpit"), self._screen
        dimmed = frozenset(action.name for action in actions if action.trains) if screen.why_not else frozenset()
        labels = {"pause": "Resume"} if view.snapshot.state == "paused" else {}
        labels |= {"maximise": "All panes"} if screen.seating.alone is not None else {}
        labels |= {"launcher": "Launcher"} if not condition(view.snapshot, view.now).running else {}
        footer = screen.query_one(Footer)
        footer.show(labels, dimmed)
        screen.query_one(Answer).say(self._words(view, leaving), screen.size.width, int(footer.display))

    def _words(self, view: View, leaving: bool) -> Line:
        fates = view.snapshot.fates
        words, when = self._note or ((), 0.0)
        newer = not fates or fates[-1].time <= when
        if words and newer and not leaving and view.now - when <= SHOWN:
            return words
        return answer_line(view.snapshot, view.now, leaving=leaving)
