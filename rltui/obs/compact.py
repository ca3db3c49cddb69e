"""`compact`: an observation of 180 numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rltui.field import CONTROLS, MIRROR_CONTROLS
from rltui.obs.builder import ObsBuilder
from rltui.obs.default import DefaultObs
from rltui.sim.state import Float, GameState, Int


class CompactObs(ObsBuilder):
    """`default` with zero_padding = 3 (172 numbers), then the controls of the step before (8); nothing to set."""

    @dataclass(frozen=True)
    class Params(ObsBuilder.Params):
        """None: one size and one scale, which the Gymnasium environment declares."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._default = DefaultObs(DefaultObs.Params(zero_padding=3))

    def size(self, blue: int, orange: int) -> int:
        """180 for up to three cars a team."""
        return self._default.size(blue, orange) + len(CONTROLS)

    def build(self, state: GameState, out: Float) -> None:
        self._default.build(state, out[..., : -len(CONTROLS)])
        out[..., -len(CONTROLS) :] = state.previous_actions

    def mirror(self, blue: int, orange: int) -> tuple[Int, Float]:
        index, sign = self._default.mirror(blue, orange)
        controls = np.arange(len(index), len(index) + len(CONTROLS))
        return np.concatenate([index, controls]), np.append(sign, np.array(MIRROR_CONTROLS, np.float32))
