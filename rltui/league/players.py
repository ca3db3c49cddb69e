"""Players of a match: saved policies and scripted bots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

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
from rltui.sim.state import Float, GameState, Int

NOISE_SIZE = 1 << 16  # random numbers in a policy's bank: two cars need few
SCRIPTED_SKIP, SCRIPTED_DELAY = 8, 1  # ticks, what most bots are trained with


class Player(ABC):
    """controls: float32 [M, 8], all that it may play. A choice is made every `tick_skip` ticks and played `delay` later."""

    controls: Float
    tick_skip: int
    delay: int

    @abstractmethod
    def begin(self, state: GameState) -> None:
        """A kickoff: what was before is forgotten."""

    @abstractmethod
    def choose(self, state: GameState) -> Int:
        """int64 [n]: a row of `controls` for each of its cars."""


class ScriptedSide(Player):
    """A scripted player."""

    def __init__(self, player: ScriptedPlayer, cars: slice, seed: Sequence[int]) -> None:
        self._player, self._cars = player, cars
        self._rng = np.random.default_rng(np.random.SeedSequence(list(seed)))
        self.controls = player.rows()
        self.tick_skip, self.delay = SCRIPTED_SKIP, SCRIPTED_DELAY

    def begin(self, state: GameState) -> None:
        """It remembers nothing."""

    def choose(self, state: GameState) -> Int:
        rows: Int = self._player.act(state, (slice(None), self._cars), self._rng)[0]
        return rows


class PolicySide(Player):
    """A saved policy with its own observation, table, legality, stack, normaliser and pace.

    Everything is worked out for all cars and its own are taken, for observations and legality go by the car's place.
    """

    def __init__(
        self, policy: SavedPolicy, teams: tuple[int, int], cars: slice, seed: Sequence[int], deterministic: bool = False
    ) -> None:
        """RltuiError where the policy cannot play in these team sizes."""
        self._game, self._cars, self._deterministic = saved_game(policy), cars, deterministic
        count = sum(teams)
        builder: ObsBuilder = build("obs", self._game.obs)
        self._observer = Observer(builder, self._game.obs_stack, 1, teams)
        _check(self._observer.size, policy, teams)
        self._pipeline = ActionPipeline(policy.table, self._game.pipeline, 1, count)
        self.controls = self._pipeline.controls
        self.tick_skip, self.delay = policy.tick_skip, policy.action_delay_ticks
        self._obs = np.zeros((1, count, self._observer.size), np.float32)
        self._classes = np.zeros((1, count), np.uint8)
        self._rows = np.zeros((1, count), np.int64)
        self._own = len(range(count)[cars])
        self._noise = GumbelBank([*seed], NOISE_SIZE)
        self._log_probs = np.zeros(self._own, np.float32)
        self._table_hash = policy.table_hash
        self.renew(policy)

    def fits(self, policy: SavedPolicy) -> bool:
        """Whether it is of the same game, so that it can take over at once."""
        same_game: bool = saved_game(policy) == self._game and policy.table_hash == self._table_hash
        return same_game and policy.layers[0][0].shape[0] == self._observer.size

    def renew(self, policy: SavedPolicy) -> None:
        """Go on with other weights of a policy that `fits`."""
        self._network = policy.network(self._own)

    def begin(self, state: GameState) -> None:
        whole = np.ones(1, np.bool_)
        self._observer.reset(state, whole)
        self._pipeline.reset(whole)

    def choose(self, state: GameState) -> Int:
        self._observer.write(state, self._obs)
        self._observer.advance(self._obs)
        self._pipeline.classify(state, self._classes)
        obs, classes, rows = self._obs[0, self._cars], self._classes[0, self._cars], self._rows[0, self._cars]
        if self._deterministic:
            rows[:] = self._network.best(obs, classes)
        else:
            self._network.act(obs, self._noise, rows, self._log_probs, classes)
        played: Int = self._pipeline.play(self._rows, state)[0, self._cars]
        return played


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
            f"it was trained in {blue}v{orange}: choose the size that fits with --size",
            exit_code=2,
        )
