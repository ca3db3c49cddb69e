"""Match: one game of two players as it is shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from rltui.events.match_frames import MatchFrame, Vector
from rltui.field import TICKS_PER_SECOND
from rltui.league.match_batch import MatchBatch
from rltui.league.players import Player
from rltui.sim.frames import MatchStanding, moment_of
from rltui.sim.resets.base import Reset
from rltui.sim.state import GameState

TRAIL_TICKS, TRAIL_POINTS = 6, 24  # between two points of the ball's trail, and how many: 1.2 s
GOAL_TICKS = 2 * TICKS_PER_SECOND  # for which a goal is news
TOUCH_GAP = 8  # ticks without contact after which the next one is another touch


class Match:
    """`teams` = (blue, orange) cars. Same players, reset and seed: the same match."""

    def __init__(
        self,
        players: tuple[Player, Player],
        teams: tuple[int, int],
        seed: Sequence[int],
        names: tuple[str, str] = ("blue", "orange"),
        reset: Reset | None = None,
    ) -> None:
        """reset: how play begins, first and after each goal (a kickoff)."""
        self.names = names
        self.touches = np.zeros(sum(teams), np.int64)
        self._touched_at = np.full(sum(teams), -TOUCH_GAP - 1)
        self._before = (0, 0, 0)  # ticks and goals of a match that this one goes on with
        self._goal, self._goal_tick = 0, 0
        self._trail: deque[Vector] = deque(maxlen=TRAIL_POINTS)
        self.batch = MatchBatch(players, teams, [seed], reset)

    @property
    def state(self) -> GameState:
        """The arena's, overwritten by `play`."""
        return self.batch.state

    @property
    def tick(self) -> int:
        """Since the match began."""
        return self._before[0] + self.batch.tick

    @property
    def score(self) -> tuple[int, int]:
        blue, orange = self.batch.score[0].tolist()
        return self._before[1] + blue, self._before[2] + orange

    def play(self, ticks: int) -> None:
        """Go on for so many ticks, each of which is looked at; a goal counts and is followed by a kickoff."""
        for _ in range(ticks):
            before = self.score
            self.batch.advance(1)
            self._note(before)

    def carry_over(self, other: Match) -> None:
        """Take over time, score and touches of a match in the same team sizes."""
        self._before = other.tick, *other.score
        self.touches[:] = other.touches

    def moment(self) -> MatchFrame:
        """As it is now."""
        goal = self._goal if self.tick - self._goal_tick < GOAL_TICKS else 0
        standing = MatchStanding(self.tick, self.names, self.score, goal, tuple(self._trail))
        return moment_of(self.state, standing, self.batch.controls[self.batch.playing[0]], self.touches)

    def _note(self, before: tuple[int, int]) -> None:
        """Goals, touches and the ball's trail. before: the score at the tick before."""
        touching = self.state.touches[0] > 0
        if touching.any():
            self.touches += touching & (self.tick - self._touched_at > TOUCH_GAP)
            self._touched_at[touching] = self.tick
        if self.tick % TRAIL_TICKS == 0:
            x, y, z = self.state.ball_position[0].tolist()
            self._trail.append((x, y, z))
        if self.score != before:
            self._goal, self._goal_tick = (1 if self.score[0] > before[0] else -1), self.tick
        if self.state.tick[0] == 0:  # a kickoff
            self._trail.clear()
