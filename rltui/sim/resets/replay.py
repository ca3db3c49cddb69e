"""`replay`: states that were recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rltui.errors import RltuiError
from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.recorded_states import load
from rltui.sim.resets.reset import Reset


class Replay(Reset):
    """States from an `.npz` file, each as likely as any other, and as likely turned by 180° with the teams swapped."""

    @dataclass(frozen=True)
    class Params(Reset.Params):
        path: str = field(
            metadata={
                "doc": "An .npz file of recorded states; rltui/sim/recorded_states.py lists its arrays.",
                "file": True,
            }
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._path = params.path
        recorded = load(Path(params.path))
        self._sides = (recorded, recorded.turned())

    def misfit(self, blue: int, orange: int) -> str:
        if any((side.blue, side.orange) == (blue, orange) for side in self._sides):
            return ""
        recorded = self._sides[0]
        return f"{self._path}: blue, orange: expected {blue} and {orange}, found {recorded.blue} and {recorded.orange}"

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        """RltuiError when the file has other team sizes."""
        sides = [side for side in self._sides if (side.blue, side.orange) == (blue, orange)]
        if not sides:
            raise RltuiError(self.misfit(blue, orange), exit_code=2)
        drawn = int(rng.integers(len(sides) * len(sides[0])))
        return sides[drawn % len(sides)].setup(drawn // len(sides))
