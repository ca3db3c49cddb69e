"""Which place of the program a screen is: launcher, cockpit, browser or form. Dialogs above them are none."""

from __future__ import annotations

from textual.screen import Screen

from rltui.tui.action import Place


def place_of(screen: Screen[object]) -> Place | None:
    """By the class's PLACE, so that nobody has to import a screen to know it."""
    found: Place | None = getattr(screen, "PLACE", None)
    return found
