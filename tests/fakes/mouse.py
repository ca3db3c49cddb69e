"""A hand on the mouse."""

from __future__ import annotations

from textual import events
from textual.pilot import Pilot


def click_twice(pilot: Pilot[str], x: int, y: int) -> None:
    """Both clicks are there before the first is answered, as where the machine is busy."""
    for kind in (events.MouseDown, events.MouseUp) * 2:
        pilot.app.post_message(kind(None, x, y, 0, 0, 1, False, False, False, x, y))
