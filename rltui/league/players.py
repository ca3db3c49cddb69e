"""Players of matches: saved policies and scripted bots, each for all its cars in all arenas at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rltui.env.saved_player import SavedPlayer
from rltui.opponents.base import ScriptedPlayer, choice_of, controls_of
from rltui.policy.saved import SavedGame, SavedPolicy, saved_game
from rltui.sim.state import Bool, Float, GameState, Int, Seats

SCRIPTED_SKIP, SCRIPTED_DELAY = 8, 1  # ticks, what most bots are trained with


@dataclass(frozen=True)
class Seat:
    """Where a player sits: team sizes, its cars, in how many arenas, its random numbers, and how it chooses."""

    teams: tuple[int, int]
    cars: slice
    seed: Sequence[int]
    deterministic: bool = False
    arenas: int = 1

    @property
    def seats(self) -> Seats:
        """Its cars in all arenas, as an index."""
        return slice(None), self.cars


class Player(ABC):
    """controls: float32 [M, 8], all that it may play. A choice is made every `tick_skip` ticks and played `delay` later."""

    controls: Float
    tick_skip: int
    delay: int

    @abstractmethod
    def begin(self, state: GameState, arenas: Bool) -> None:
        """A kickoff in these arenas (mask [K]): what was before is forgotten."""

    @abstractmethod
    def choose(self, state: GameState) -> Int:
        """int64 [K, n]: a row of `controls` for each of its cars."""


class ScriptedSide(Player):
    """A scripted player."""

    def __init__(self, player: ScriptedPlayer, seat: Seat) -> None:
        self._player, self._seats = player, seat.seats
        self._rng = np.random.default_rng(np.random.SeedSequence([*seat.seed]))
        self.controls = controls_of(player)
        self.tick_skip, self.delay = SCRIPTED_SKIP, SCRIPTED_DELAY

    def begin(self, state: GameState, arenas: Bool) -> None:
        """It remembers nothing."""

    def choose(self, state: GameState) -> Int:
        return choice_of(self._player, len(self.controls), state, self._seats, self._rng)


class PolicySide(SavedPlayer, Player):
    """A saved policy, at the pace that it has learned."""

    def __init__(self, policy: SavedPolicy, seat: Seat) -> None:
        """RltuiError where the policy cannot play in these team sizes."""
        super().__init__(policy, seat.teams, seat.arenas, seat.seed, seat.deterministic)
        self._seats = seat.seats

    def choose(self, state: GameState) -> Int:
        return self.act(state, self._seats)


def trained_in(policy: SavedPolicy) -> tuple[int, int]:
    """Cars of blue and orange."""
    game: SavedGame = saved_game(policy)
    return game.blue, game.orange
