"""Text view on a terminal, and plain lines where there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TextIO

from rltui.events.match_frames import MatchFrame
from rltui.field import TICKS_PER_SECOND
from rltui.view.output import Output
from rltui.view.text_view import clock_text, draw, one_column_each

MOST_HZ = 20
ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"  # another screen, no cursor
LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"
Size = Callable[[], tuple[int, int]]
EVERY = 10 * TICKS_PER_SECOND  # between two plain lines


class TerminalPicture(Output):
    """Paints what has changed since the last time, at most 20 times a second. Below the picture: a line of `status`."""

    def __init__(
        self,
        out: TextIO,
        size: Size,
        ascii_only: bool = False,
        colour: bool = True,
        clock: Callable[[], float] = time.monotonic,
        gone: Callable[[], None] = lambda: None,
    ) -> None:
        """size: columns and rows. gone: called when nobody can see it any more."""
        self._out, self._size, self._clock = out, size, clock
        self._ascii, self._colour = ascii_only, colour
        self._shown: list[str] = []
        self._shown_size = (0, 0)
        self._due = float("-inf")
        self._entered = self._closed = False
        self.status: Callable[[], str] = lambda: ""
        self._gone = gone

    def show(self, moment: MatchFrame) -> None:
        now = self._clock()
        if now < self._due or self._closed:
            return
        self._due = now + 1 / MOST_HZ
        self.paint(moment)

    def still(self, moment: MatchFrame) -> None:
        self.show(moment)

    def paint(self, moment: MatchFrame) -> None:
        """At once."""
        width, height = size = self._size()
        lines = draw(moment, width, max(0, height - 1), self._ascii, self._colour)
        lines.append(one_column_each(self.status(), self._ascii)[: max(0, width - 1)].ljust(max(0, width - 1)))
        text = "" if self._entered else ENTER
        if size != self._shown_size:
            text += "\x1b[2J" if self._entered else ""
            self._shown, self._shown_size = [""] * len(lines), size
        text += "".join(
            f"\x1b[{row};1H{line}"
            for row, (line, shown) in enumerate(zip(lines, self._shown, strict=True), 1)
            if line != shown
        )
        self._shown, self._entered = lines, True
        self._write(text)

    def close(self) -> None:
        if self._entered and not self._closed:
            self._closed = True
            self._write(LEAVE)

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except OSError:  # the window was closed
            self._closed = True
            self._gone()


def terminal_size(out: TextIO) -> Size:
    """Columns and rows of the terminal now; 80 × 24 where it does not say."""

    def ask() -> tuple[int, int]:
        try:
            size = os.get_terminal_size(out.fileno())
        except OSError:
            return 80, 24
        return (size.columns, size.lines) if size.columns and size.lines else (80, 24)

    return ask


class PlainLines(Output):
    """A line at the start, at each goal, and every ten seconds of the game."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._due = 0
        self._score = (0, 0)

    def show(self, moment: MatchFrame) -> None:
        scored = moment.score != self._score
        if moment.tick < self._due and not scored:
            return
        goal = f"  goal by {moment.names[0 if moment.score[0] > self._score[0] else 1]}" if scored else ""
        if moment.tick >= self._due:
            self._due = moment.tick - moment.tick % EVERY + EVERY
        self._score = moment.score
        self._say(f"{summary(moment)}{goal}")


def summary(moment: MatchFrame) -> str:
    """Time, score and touches."""
    blue, orange = (sum(car.touches for car in moment.cars if car.team == team) for team in (0, 1))
    score = f"{moment.names[0]} {moment.score[0]} : {moment.score[1]} {moment.names[1]}"
    return f"{clock_text(moment.tick):>5}  {score}  touches {blue} : {orange}"
