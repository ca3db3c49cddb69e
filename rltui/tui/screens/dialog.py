"""Screens above others, each of which closes itself once and no other.

Textual's `dismiss` takes away whatever is on top: the second click of a double click, or an answer that comes while the
palette is open, would close the wrong screen, in the end the launcher itself, and leave an empty one.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.screen import ModalScreen, Screen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Asks or tells something above what is shown. One with a line or a list takes `/` itself."""

    BINDINGS: ClassVar[list[BindingType]] = [("slash", "no_filter", "Filter")]

    def action_no_filter(self) -> None:
        """What is typed behind it would choose an answer."""
        from rltui.tui.screens.no_filter import NoFilterScreen  # a dialog itself

        self.app.push_screen(NoFilterScreen())

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if uncovered(self) else AwaitComplete()


class Palette(CommandPalette):
    """The command palette."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if uncovered(self) else AwaitComplete()


def uncovered(screen: Screen[Answer]) -> bool:
    """Whether the screen is there to be closed; what has come above it is taken away."""
    app = screen.app
    if screen not in app.screen_stack:
        return False
    while app.screen is not screen:
        app.pop_screen()
    return True
