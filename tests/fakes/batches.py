"""Environments of several arenas for tests, and the arrays that they write."""

from __future__ import annotations

from typing import Any

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, Weighted
from rltui.env.step import StepOut
from rltui.registry import Component


def spec(blue: int = 1, orange: int = 1, **changes: Any) -> EnvSpec:
    """A small game: the default observation without padding, four rewards, both resets, short episodes."""
    values: dict[str, Any] = {
        "obs": Component("default", {"zero_padding": 0}),
        "table": Component("rlgym"),
        "rewards": (
            Weighted(Component("goal"), 10.0),
            Weighted(Component("touch"), 1.0),
            Weighted(Component("in_air"), 0.01),
            Weighted(Component("speed_toward_ball"), 0.1),
        ),
        "resets": (Weighted(Component("kickoff"), 1.0), Weighted(Component("random"), 1.0)),
        "terminals": (
            Component("goal"),
            Component("no_touch", {"seconds": 2.0}),
            Component("timeout", {"seconds": 4.0}),
        ),
    }
    return EnvSpec(blue=blue, orange=orange, **(values | changes))


def new_out(env: SoccarBatch) -> StepOut:
    """Arrays for one step, full of what must not stay."""
    return StepOut(
        obs=np.full((env.arenas, env.learners, env.obs_size), np.nan, np.float32),
        legality=np.zeros((env.arenas, env.learners), np.uint8),
        rewards=np.full((env.arenas, env.learners), np.nan, np.float32),
        terminated=np.ones(env.arenas, np.bool_),
        truncated=np.ones(env.arenas, np.bool_),
        player=np.zeros((env.arenas, env.learners), np.uint8),
    )
