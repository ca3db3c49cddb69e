"""Wheeled: what the mouse's wheel does to a widget that moves by rows."""

from __future__ import annotations

from textual import events

from rltui.tui.widgets.painted import Painted

WHEEL = 3  # rows of one notch


class Wheeled(Painted):
    """Subclasses give `move`."""

    def move(self, rows: int) -> None:
        """Scroll by rows; negative is up."""
        raise NotImplementedError

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.move(-WHEEL)
        event.stop()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.move(WHEEL)
        event.stop()
