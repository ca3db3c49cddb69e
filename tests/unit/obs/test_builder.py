"""An observation in a user's own file resolves as a registered one does."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rltui.registry import Component, build
from tests.fakes.game_states import random_state

SOURCE = """
from dataclasses import dataclass, field
from rltui.obs.builder import ObsBuilder

class BallHeight(ObsBuilder):
    @dataclass(frozen=True)
    class Params:
        scale: float = field(default=1.0, metadata={"doc": "Factor.", "min": 0.0})

    def size(self, blue, orange):
        return 1

    def build(self, state, out):
        out[:, :, 0] = state.ball_position[:, 2:] * self.params.scale
"""


def test_a_users_observation_is_built_with_its_parameters(tmp_path: Path) -> None:
    file = tmp_path / "my_obs.py"
    file.write_text(SOURCE, encoding="utf-8")
    obs = build("obs", Component(f"{file}:BallHeight", {"scale": 0.5}))
    state = random_state(np.random.default_rng(0), 2, 1, 1)
    out = np.zeros((2, 2, obs.size(1, 1)), dtype=np.float32)
    obs.build(state, out)
    np.testing.assert_array_equal(out[:, 1, 0], state.ball_position[:, 2] * np.float32(0.5))
