"""SavedPlayer: a saved policy that plays some cars of K arenas as it was trained to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rltui.actions.pipeline import ActionPipeline
from rltui.actions.spec import Classes
from rltui.env.observer import Observer
from rltui.errors import RltuiError
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy, saved_game
from rltui.registry import build
from rltui.sim.state import Bool, Float, GameState, Int, Seats

NOISE_SIZE = 1 << 16  # random numbers in its bank, which grows with the number of cars


class SavedPlayer:
    """With its own observation, stack, normaliser, table, legality and sticky buttons. Which cars are its own may change from
    step to step: everything but the network is worked out for all cars.

    tick_skip, delay: the pace that it has learned; whoever lets it play keeps it.
    """

    def __init__(
        self,
        policy: SavedPolicy,
        teams: tuple[int, int],
        arenas: int,
        seed: Sequence[int],
        deterministic: bool = False,
    ) -> None:
        """RltuiError where the policy cannot play in these team sizes."""
        self._game, self._deterministic = saved_game(policy), deterministic
        shape = (arenas, sum(teams))
        self._observer = Observer(build("obs", self._game.obs), self._game.obs_stack, arenas, teams)
        self._check_size(policy, teams)
        self._pipeline = ActionPipeline(policy.table, self._game.pipeline, *shape)
        self.controls: Float = self._pipeline.controls  # [M, 8], all that it ever uses
        self.tick_skip, self.delay = policy.tick_skip, policy.action_delay_ticks
        self._obs: Float = np.zeros((*shape, self._observer.size), np.float32)
        self._classes = np.zeros(shape, np.uint8)
        self._rows: Int = np.zeros(shape, np.int64)
        self._noise = GumbelBank([*seed], NOISE_SIZE)
        self._log_probs: Float = np.zeros(self._rows.size, np.float32)
        self._table_hash = policy.table_hash
        self.renew(policy)

    def fits(self, policy: SavedPolicy) -> bool:
        """Whether it is of the same game, so that it can take over at once."""
        same_game: bool = saved_game(policy) == self._game and policy.table_hash == self._table_hash
        return same_game and policy.obs_size == self._observer.size

    def renew(self, policy: SavedPolicy) -> None:
        """Go on with other weights of a policy that `fits`."""
        self._network = policy.network(self._rows.size)

    def begin(self, state: GameState, arenas: Bool) -> None:
        """Episodes begin in these arenas (mask [K]): what was before is forgotten."""
        self._observer.reset(state, arenas)
        self._pipeline.reset(arenas)

    def act(self, state: GameState, seats: Seats) -> Int:
        """A row of `controls` for each of its cars, int64 of the shape that `state.on_ground[seats]` has. To be called once a step."""
        self._observer.write(state, self._obs)
        self._observer.advance(self._obs)
        self._pipeline.classify(state, self._classes)
        classes = self._classes[seats]
        obs, count = self._obs[seats].reshape(classes.size, self._observer.size), classes.size
        if self._deterministic:
            chosen = self._network.best(obs, classes.ravel())
        else:
            chosen = np.empty(count, np.int64)
            self._network.act(obs, self._noise, chosen, self._log_probs[:count], classes.ravel())
        self._rows[seats] = chosen.reshape(classes.shape)
        return self._pipeline.play(self._rows, state)[seats]

    def seen(self, seats: Seats) -> tuple[Float, Classes]:
        """Its newest observations [n, D], not normalised, and legality classes [n] of these cars; copies."""
        classes = self._classes[seats]
        return self._obs[seats].reshape(classes.size, self._observer.size).copy(), classes.ravel().copy()

    def _check_size(self, policy: SavedPolicy, teams: tuple[int, int]) -> None:
        size, expected = self._observer.size, policy.obs_size
        if size != expected:
            blue, orange = self._game.blue, self._game.orange
            raise RltuiError(
                f"in {teams[0]}v{teams[1]} the bot's observation has {size} numbers, expected {expected}",
                f"it was trained in {blue}v{orange}: "
                + ("choose that with --team-size" if blue == orange else "no game of equal teams shows it as much"),
                exit_code=2,
            )
