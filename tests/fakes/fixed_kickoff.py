"""The same kickoff at every reset, whatever the generator: `Component("tests.fakes.fixed_kickoff:FixedKickoff")`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rltui.sim.resets.base import Reset
from rltui.sim.resets.standard import KickoffReset
from rltui.sim.state import ArenaSetup


class FixedKickoff(Reset):
    """A kickoff drawn by a seed of its own."""

    @dataclass(frozen=True)
    class Params(Reset.Params):
        seed: int = 0

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        params: FixedKickoff.Params = self.params  # type: ignore[assignment]
        return KickoffReset(Reset.Params()).sample(np.random.default_rng(params.seed), blue, orange)
