"""Screens above others, each of which closes itself once and no other.

Textual's `dismiss` takes away whatever is on top: the second click of a double click, or an answer that comes while the
palette is open, would close the wrong screen, in the end the launcher itself, and leave an empty one.
"""

from __future__ import annotations

from inspect import unwrap
from typing import ClassVar, TypeVar

from textual import work
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches
from textual.screen import ModalScreen, Screen

from rltui.tui.widgets.drawn_places import DrawnCompositor

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Asks or tells something above what is shown. One with a line or a list takes `/` itself."""

    BINDINGS: ClassVar[list[BindingType]] = [("slash", "no_filter", "Filter")]

    def __init__(self) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()

    def action_no_filter(self) -> None:
        """What is typed behind it would choose an answer."""
        from rltui.tui.screens.no_filter import NoFilterScreen  # a dialog itself

        self.app.push_screen(NoFilterScreen())

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if uncovered(self) else AwaitComplete()


class Palette(CommandPalette):
    """The command palette. Of Textual's private parts it uses `_gather_commands` with its group, and `_action_command_list`;
    tests/tui/test_resilience.py shows what becomes of it without.
    """

    def __init__(self) -> None:
        super().__init__(id="--command-palette")
        self._compositor = DrawnCompositor()

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if uncovered(self) else AwaitComplete()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """Textual's own ends the program where the palette is taken away meanwhile: it still looks for its list."""
        try:
            await unwrap(CommandPalette._gather_commands)(self, search_value)
        except NoMatches:
            if self in self.app.screen_stack:
                raise

    def _action_command_list(self, action: str) -> None:
        """Textual's list raises where it is to turn a page that it has had no room to draw."""
        if not action.startswith("page_") or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


def uncovered(screen: Screen[Answer]) -> bool:
    """Whether the screen is there to be closed; what has come above it is taken away."""
    app = screen.app
    if screen not in app.screen_stack:
        return False
    while app.screen is not screen:
        app.pop_screen()
    return True
