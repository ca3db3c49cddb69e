"""Observer: observations of the learners' cars, stacked over steps."""

from __future__ import annotations

import numpy as np

from rltui.obs.builder import ObsBuilder
from rltui.sim.state import Bool, Float, GameState, Seats

ALL: Seats = (slice(None), slice(None))


class Observer:
    """For K arenas, of each of which as many cars are the policy's.

    A row holds the car's newest observation, then those of the `stack` − 1 steps before; an episode that has not had so
    many is filled up with its first one.
    """

    def __init__(
        self, builder: ObsBuilder, stack: int, arenas: int, teams: tuple[int, int], seats: Seats = ALL
    ) -> None:
        """seats: the policy's."""
        everybody = np.zeros((arenas, sum(teams)), np.bool_)
        learners = everybody[seats].shape[1]
        self._builder, self._seats = builder, seats
        self._one = int(builder.size(*teams))  # numbers of one step
        self.size = self._one * stack
        self._all: Float | None = (
            None if learners == sum(teams) else np.zeros((*everybody.shape, self._one), np.float32)
        )
        self._earlier: Float | None = None  # [K, learners, stack − 1 steps], newest first
        if stack > 1:
            self._earlier = np.zeros((arenas, learners, self.size - self._one), np.float32)
        self._begun: Bool = np.zeros(arenas, np.bool_)  # nothing of their episodes is in `_earlier` yet

    def write(self, state: GameState, out: Float) -> None:
        """Every learner's row into `out`, float32 [K, learners, size]. Changes nothing: may be called twice for a step."""
        if self._earlier is None:
            self._build(state, out)
            return
        newest, earlier = out[..., : self._one], out[..., self._one :]
        self._build(state, newest)
        np.copyto(earlier, self._earlier)
        if self._begun.any():
            repeats = earlier.shape[-1] // self._one
            earlier[self._begun] = np.tile(newest[self._begun], repeats)

    def reset(self, state: GameState, arenas: Bool) -> None:
        """Forget these arenas' earlier steps (mask [K]); `state` is the first of their new episode."""
        np.logical_or(self._begun, arenas, out=self._begun)
        self._builder.reset(state, arenas)

    def advance(self, out: Float) -> None:
        """The step is over: what `write` gave last is now the newest of the earlier ones."""
        if self._earlier is not None:
            np.copyto(self._earlier, out[..., : -self._one])
            self._begun.fill(False)

    def _build(self, state: GameState, out: Float) -> None:
        """The learners' rows of this step alone."""
        if self._all is None:
            self._builder.build(state, out)
        else:
            self._builder.build(state, self._all)
            np.copyto(out, self._all[self._seats])
