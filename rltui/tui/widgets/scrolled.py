"""More lines than room: where the view stands, and the keys and the wheel that move it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rltui.tui.paint import Line
from rltui.tui.widgets.wheeled import Wheeled

ROWS = {"up": -1, "k": -1, "down": 1, "j": 1}


class Scrolled(Wheeled, can_focus=True):
    """`first` is the top line shown. One that follows stays at the end until moved up, and again once back there."""

    FOLLOW = False

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.first = 0
        self.following = self.FOLLOW
        self._total = 0
        self._room = 0

    def window(self, lines: Sequence[Line], height: int) -> list[Line]:
        """The part of `lines` in view. Call it from `paint`."""
        self._total, self._room = len(lines), height
        self.first = self._last if self.following else min(self.first, self._last)
        return list(lines[self.first : self.first + height])

    @property
    def _last(self) -> int:
        return max(self._total - self._room, 0)

    def move(self, rows: int) -> None:
        """Scroll by rows; negative is up."""
        self.first = min(max(self.first + rows, 0), self._last)
        self.following = self.FOLLOW and self.first == self._last
        self.repaint()

    def on_key(self, event: events.Key) -> None:
        page = max(self._room - 1, 1)
        steps = {**ROWS, "pageup": -page, "pagedown": page, "home": -self._total, "end": self._total}
        if event.key in steps:
            self.move(steps[event.key])
            event.stop()
