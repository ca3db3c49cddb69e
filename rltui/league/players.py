"""Players of matches: saved policies and scripted bots, each for all its cars in all arenas at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rltui.actions.pipeline import ActionPipeline
from rltui.env.observer import Observer
from rltui.env.spec import SavedGame, saved_game
from rltui.errors import RltuiError
from rltui.obs.builder import ObsBuilder
from rltui.opponents.base import ScriptedPlayer
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy
from rltui.registry import build
from rltui.sim.state import Bool, Float, GameState, Int, Seats

NOISE_SIZE = 1 << 16  # random numbers in a policy's bank, which grows with the number of cars
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
    def own(self) -> int:
        """Its cars in an arena."""
        return len(range(sum(self.teams))[self.cars])

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
        self.controls = player.rows()
        self.tick_skip, self.delay = SCRIPTED_SKIP, SCRIPTED_DELAY

    def begin(self, state: GameState, arenas: Bool) -> None:
        """It remembers nothing."""

    def choose(self, state: GameState) -> Int:
        return self._player.act(state, self._seats, self._rng)


class PolicySide(Player):
    """A saved policy with its own observation, table, legality, stack, normaliser and pace."""

    def __init__(self, policy: SavedPolicy, seat: Seat) -> None:
        """RltuiError where the policy cannot play in these team sizes."""
        self._game, self._deterministic = saved_game(policy), seat.deterministic
        builder: ObsBuilder = build("obs", self._game.obs)
        self._observer = Observer(builder, self._game.obs_stack, seat.arenas, seat.teams, seat.seats)
        _check(self._observer.size, policy, seat.teams)
        self._pipeline = ActionPipeline(policy.table, self._game.pipeline, seat.arenas, seat.own, seat.seats)
        self.controls = self._pipeline.controls
        self.tick_skip, self.delay = policy.tick_skip, policy.action_delay_ticks
        shape = (seat.arenas, seat.own)
        self._cars = seat.arenas * seat.own
        self._obs = np.zeros((*shape, self._observer.size), np.float32)
        self._classes = np.zeros(shape, np.uint8)
        self._rows = np.zeros(shape, np.int64)
        self._noise = GumbelBank([*seat.seed], NOISE_SIZE)
        self._log_probs = np.zeros(self._cars, np.float32)
        self._table_hash = policy.table_hash
        self.renew(policy)

    def fits(self, policy: SavedPolicy) -> bool:
        """Whether it is of the same game, so that it can take over at once."""
        same_game: bool = saved_game(policy) == self._game and policy.table_hash == self._table_hash
        return same_game and policy.layers[0][0].shape[0] == self._observer.size

    def renew(self, policy: SavedPolicy) -> None:
        """Go on with other weights of a policy that `fits`."""
        self._network = policy.network(self._cars)

    def begin(self, state: GameState, arenas: Bool) -> None:
        self._observer.reset(state, arenas)
        self._pipeline.reset(arenas)

    def choose(self, state: GameState) -> Int:
        self._observer.write(state, self._obs)
        self._observer.advance(self._obs)
        self._pipeline.classify(state, self._classes)
        obs, classes, rows = self._obs.reshape(self._cars, -1), self._classes.reshape(-1), self._rows.reshape(-1)
        if self._deterministic:
            rows[:] = self._network.best(obs, classes)
        else:
            self._network.act(obs, self._noise, rows, self._log_probs, classes)
        return self._pipeline.play(self._rows, state)


def trained_in(policy: SavedPolicy) -> tuple[int, int]:
    """Cars of blue and orange."""
    game: SavedGame = saved_game(policy)
    return game.blue, game.orange


def _check(size: int, policy: SavedPolicy, teams: tuple[int, int]) -> None:
    expected = policy.layers[0][0].shape[0]
    if size != expected:
        blue, orange = trained_in(policy)
        raise RltuiError(
            f"in {teams[0]}v{teams[1]} the bot's observation has {size} numbers, expected {expected}",
            f"it was trained in {blue}v{orange}: choose the size that fits with --team-size",
            exit_code=2,
        )
