"""GoalCounts: goals of the learners' teams, those against them, and those that they put into their own net."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Bool, GameState, Int


class GoalCounts:
    """Counts for K arenas, in which the first `cars` cars learn. A ball that stays in the net counts once.

    When both teams learn, each goal is both scored and conceded.
    """

    def __init__(self, state: GameState, cars: int) -> None:
        """state: the one that every step is read into."""
        self._goal, self._toucher = state.goal, state.last_toucher
        self._cars, self._team = cars, state.team.tolist()
        self._signs = set(state.team_sign[:cars].tolist())  # of the teams that learn, as in `state.goal`
        self._inside: Bool = np.zeros(state.arenas, np.bool_)
        self._any_inside = False
        self.clear()

    def clear(self) -> None:
        """Begin at 0."""
        self.scored = self.conceded = self.own = 0

    def step(self) -> None:
        """Count one step."""
        goals = np.count_nonzero(self._goal)
        if not goals and not self._any_inside:
            return
        inside = self._goal != 0
        for arena in np.flatnonzero(inside > self._inside).tolist():
            self._count(int(self._goal[arena]), int(self._toucher[arena]))
        self._inside, self._any_inside = inside, bool(goals)

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        self._inside[arenas] = False

    def _count(self, goal: int, toucher: int) -> None:
        self.scored += goal in self._signs
        if -goal not in self._signs:
            return
        self.conceded += 1
        conceding = 1 if goal > 0 else 0
        self.own += 0 <= toucher < self._cars and self._team[toucher] == conceding
