"""Observer: what the policy's cars see, with earlier steps stacked behind the present one."""

from __future__ import annotations

import numpy as np

from rltui.obs.obs_builder import ObsBuilder
from rltui.sim.state import Bool, Float, GameState


class Observer:
    """For K arenas; the first `learners` cars of each are the policy's."""

    def __init__(self, builder: ObsBuilder, stack: int, arenas: int, teams: tuple[int, int], learners: int) -> None:
        cars = sum(teams)
        self._builder = builder
        self.size = builder.size(*teams) * stack
        self._learners = learners
        self._all: Float | None = None if learners == cars else np.zeros((arenas, cars, self.size), np.float32)

    def write(self, state: GameState, out: Float) -> None:
        """Every learner's row into `out`, float32 [K, learners, size]. Changes nothing: may be called twice for a step."""
        if self._all is None:
            self._builder.build(state, out)
        else:
            self._builder.build(state, self._all)
            np.copyto(out, self._all[:, : self._learners])

    def reset(self, state: GameState, arenas: Bool) -> None:
        """Forget these arenas' earlier steps (mask [K]); `state` is the first of their new episode."""

    def advance(self, out: Float) -> None:
        """The step is over: what `write` gave last is now the newest of the earlier ones."""
