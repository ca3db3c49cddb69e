"""PlainLines: a match in words, one line now and then, for logs and pipes."""

from __future__ import annotations

from collections.abc import Callable

from rltui.events.match_frames import Moment
from rltui.sim.field import TICKS_PER_SECOND
from rltui.view.output import Output
from rltui.view.picture import clock_text

EVERY = 10 * TICKS_PER_SECOND


class PlainLines(Output):
    """A line at the start, at each goal, and every ten seconds of the game."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._due = 0
        self._score = (0, 0)

    def show(self, moment: Moment) -> None:
        scored = moment.score != self._score
        if moment.tick < self._due and not scored:
            return
        goal = f"  goal by {moment.names[0 if moment.score[0] > self._score[0] else 1]}" if scored else ""
        if moment.tick >= self._due:
            self._due = moment.tick - moment.tick % EVERY + EVERY
        self._score = moment.score
        self._say(f"{summary(moment)}{goal}")


def summary(moment: Moment) -> str:
    """Time, score and touches."""
    blue, orange = (sum(car.touches for car in moment.cars if car.team == team) for team in (0, 1))
    score = f"{moment.names[0]} {moment.score[0]} : {moment.score[1]} {moment.names[1]}"
    return f"{clock_text(moment.tick):>5}  {score}  touches {blue} : {orange}"
