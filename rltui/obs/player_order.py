"""Who stands where in a car's row: its allies, then its opponents, nearest to the ball first."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import Float, Int


class PlayerOrder:
    """For `blue` + `orange` cars in K arenas. Equally near ones stand in car order, which is the same for counterparts."""

    def __init__(self, blue: int, orange: int, arenas: int) -> None:
        self._teams = (range(blue), range(blue, blue + orange))
        self.allies = max(blue, orange) - 1  # places: those of the larger team's cars
        self.opponents = max(blue, orange) if blue and orange else 0
        self._absent = blue + orange
        places = self.allies + self.opponents
        self._players: Int = np.full((places, self._absent, arenas), self._absent)
        self._sort(np.zeros((self._absent, arenas), np.float32))

    def find(self, distance: Float) -> Int:
        """Car numbers [places, C, K] for distances to the ball [C, K]; the number of cars where a place is empty."""
        if self._absent > 2 or self.allies:  # else there is nothing to sort
            self._sort(distance)
        return self._players

    def _sort(self, distance: Float) -> None:
        orders = [distance[team.start : team.stop].argsort(axis=0, kind="stable") + team.start for team in self._teams]
        for side, team in enumerate(self._teams):
            own, other = orders[side], orders[1 - side]
            for car in team:
                for place in range(len(team) - 1):
                    passed = (own[: place + 1] == car).any(axis=0)  # the car itself is no ally
                    self._players[place, car] = np.where(passed, own[place + 1], own[place])
                self._players[self.allies : self.allies + len(other), car] = other
