"""Environments of several arenas for tests, and the arrays that they write."""

from __future__ import annotations

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.step_out import StepOut


def new_out(env: SoccarBatch) -> StepOut:
    """Arrays for one step, full of what must not stay."""
    return StepOut(
        obs=np.full((env.arenas, env.cars, env.obs_size), np.nan, np.float32),
        rewards=np.full((env.arenas, env.cars), np.nan, np.float32),
        terminated=np.ones(env.arenas, np.bool_),
        truncated=np.ones(env.arenas, np.bool_),
    )
