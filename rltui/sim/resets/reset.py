"""What every reset is: a seeded generator in, the first state of an episode out (RLGym: StateMutator)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rltui.errors import RltuiError
from rltui.sim.arena_setup import ArenaSetup


class Reset(ABC):
    """A distribution of first states. Turning the world by 180° and swapping the teams leaves it as it is."""

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    def misfit(self, blue: int, orange: int) -> str:
        """Why it has no states for these team sizes, or ""."""
        return ""

    @abstractmethod
    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """One first state for these team sizes: inside the field, no bodies overlapping, speeds within the limits.

        All randomness comes from `rng`, so that a seed means the same episode.
        """


class MixedReset:
    """Resets mixed by weight: each episode draws one of them, then its state."""

    def __init__(self, resets: Sequence[tuple[Reset, float]]) -> None:
        """Weights at least 0, one of them above; they need not sum to 1."""
        self._resets = [reset for reset, _ in resets]
        shares = np.cumsum([weight for _, weight in resets])
        self._shares = (shares / shares[-1]).tolist()

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """RltuiError names a reset that gives what is no state."""
        draw = rng.random()
        reset = next(reset for reset, share in zip(self._resets, self._shares, strict=True) if draw < share)
        setup = reset.sample(rng, blue, orange)
        problem = setup.problem(blue + orange)
        if problem:
            raise RltuiError(f"reset {type(reset).__name__}: {problem}")
        return setup
