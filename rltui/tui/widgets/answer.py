"""What became of a command, for a while: above the footer, over the panes' border, so that no key gives way to it."""

from __future__ import annotations

from textual.events import Click

from rltui.tui.paint import Line, crop, split, width_of
from rltui.tui.widgets.painted import Painted

MOST = 3  # rows
EDGE = 2  # columns that stay free at either side: the pane's border shows
LEAST = 24  # columns below which the whole width is taken


class Answer(Painted):
    """Not there while there is nothing to say. A click shows where all answers are kept, if the screen has such a place."""

    def __init__(self, kept: str = "") -> None:
        """kept: the screen's action that shows all answers."""
        super().__init__(name="answer")
        self._kept = kept
        self._said: Line = ()
        self._place: tuple[int, int, int, int] | None = None  # width, height, rows below, edge

    def on_mount(self) -> None:
        self.display = False

    def say(self, answer: Line, room: int, below: int) -> None:
        """Show this, or nothing. room: columns of the screen; below: rows under it that stay free."""
        rows = answer_rows(answer, room) if answer else []
        self._said = answer
        self.display = bool(rows)
        if rows:
            self._stand(max(width_of(row) for row in rows), len(rows), below, EDGE if room >= LEAST else 0)
            self.repaint()

    def _stand(self, width: int, height: int, below: int, edge: int) -> None:
        place = width, height, below, edge
        if place != self._place:
            self._place = place
            self.styles.width, self.styles.height, self.styles.margin = width, height, (0, 0, below, edge)

    def paint(self, width: int, height: int) -> list[Line]:
        return answer_rows(self._said, self.screen.size.width)

    def on_click(self, event: Click) -> None:
        if self._kept:
            self.screen.call_next(self.screen.run_action, self._kept)


def answer_rows(answer: Line, room: int) -> list[Line]:
    """Up to MOST rows for a screen `room` columns wide, a blank at either end; the last ends in an ellipsis if need be."""
    width = max(room - (2 * EDGE if room >= LEAST else 0) - 2, 1)
    rows: list[Line] = []
    while width_of(answer) > width and len(rows) < MOST - 1:
        row, answer = split(answer, width)
        rows.append(row)
    return [((" ", ""), *crop(row, width), (" ", "")) for row in (*rows, answer)]
