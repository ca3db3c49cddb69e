"""Seats: who plays which car of which arena; the opponents in theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rltui.opponents.base import ScriptedPlayer, choice_of, controls_of
from rltui.sim.state import Float, GameState, Int, Seats

LEARNER = 0  # who sits in a seat; an opponent is its number from 1
OPPONENTS = 0x09  # sets their random numbers apart from the arenas'


class Seating:
    """Who sits in each car of each arena, int64 [K, C]: the learner or an opponent."""

    def __init__(self, who: Int) -> None:
        self.who = who

    @classmethod
    def alike(cls, arena: Sequence[int], arenas: int) -> Seating:
        """Every arena like this one, [C]."""
        return cls(np.tile(np.array(arena, np.int64), (arenas, 1)))

    def of(self, one: int) -> Seats:
        """Where it sits, as an index into arrays [K, C, …]: [K, n, …] of n cars an arena, else [M, …]; slices, which copy
        nothing, where it is the same cars side by side in every arena.
        """
        found = self.who == one
        first = np.flatnonzero(found[0])
        if (found == found[0]).all() and (np.diff(first) == 1).all():
            start = int(first[0]) if len(first) else 0
            return slice(None), slice(start, start + len(first))
        arenas, cars = np.nonzero(found)
        counts = found.sum(axis=1)
        if (counts == counts[0]).all():
            return arenas.reshape(len(found), -1), cars.reshape(len(found), -1)
        return arenas, cars


class Opponents:
    """Those who sit in the other seats, by their numbers; nobody in a mirror game."""

    def __init__(
        self, players: Sequence[ScriptedPlayer], seating: Seating, rows_before: int, seed: Sequence[int]
    ) -> None:
        """rows_before: rows of the policy's own controls, behind which the players' stand, one after another."""
        self._tables = [controls_of(player) for player in players]
        starts = rows_before + np.cumsum([0, *map(len, self._tables)])
        self._seated = [
            (player, len(table), seating.of(number), start)
            for number, (player, table, start) in enumerate(
                zip(players, self._tables, starts.tolist(), strict=False), 1
            )
        ]
        self._learner = seating.of(LEARNER)
        self._rows: Int = np.zeros_like(seating.who)
        self._rng = np.random.default_rng(np.random.SeedSequence([*seed, OPPONENTS]))

    def after(self, controls: Float) -> Float:
        """The policy's controls [M, 8] followed by the players'."""
        return np.concatenate([controls, *self._tables]) if self._tables else controls

    def join(self, played: Int, state: GameState) -> Int:
        """The policy's rows [K, learners] and the players' in their seats: rows of `after` for all cars [K, C]."""
        if not self._seated:
            return played
        self._rows[self._learner] = played
        for player, rows, seats, start in self._seated:
            self._rows[seats] = choice_of(player, rows, state, seats, self._rng) + start
        return self._rows
