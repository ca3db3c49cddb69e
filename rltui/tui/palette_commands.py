"""What the command palette offers: everything in the registry that can be done where the user is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.screen import Screen

from rltui.tui.actions import PLACES, Place, pane_actions

if TYPE_CHECKING:
    from rltui.tui.panes.pane import Pane


def palette_commands(place: Place, screen: Screen[object], pane: Pane | None) -> Iterable[SystemCommand]:
    """The place's, then those of the pane that has the focus."""
    for action in PLACES[place]:
        if action.palette:
            yield SystemCommand(action.label, action.help, _runner(screen, action.name))
    if pane is None:
        return
    for action in pane_actions(pane.pane_id()):
        if action.palette:
            yield SystemCommand(f"{pane.NAME}: {action.label}", action.help, _runner(pane, action.name))


def _runner(owner: Screen[object] | Pane, action: str) -> Callable[[], object]:
    return lambda: owner.app.call_later(owner.run_action, action)
