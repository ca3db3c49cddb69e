"""What `rltui train --debug` says of each iteration: what was chosen, and what was learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rltui.actions.action_table import CONTROLS
from rltui.learn.rollout import Rollout

SHOWN = 4  # steps of one car that are spelled out
TURNING = [CONTROLS.index(name) for name in ("steer", "yaw")]


def action_lines(rollout: Rollout, table: NDArray[np.float32]) -> Iterator[str]:
    """debug_actions: the first car's choices in control names, and how many choices turn."""
    rows = rollout.actions[0, :, 0]
    yield f"controls are {', '.join(CONTROLS)}"
    for step, row in enumerate(rows[:SHOWN].tolist()):
        values = ", ".join(f"{value:g}" for value in table[row])
        yield f"step {step}: row {row} = ({values}), probability {np.exp(rollout.log_probs[0, step, 0]):.3f}"
    turning = (table[rollout.actions[rollout.valid]][..., TURNING] != 0).any(axis=-1)
    yield f"{turning.sum():,} of {turning.size:,} chosen actions turn ({turning.mean():.0%})"


def learning_lines(metrics: Mapping[str, float]) -> Iterator[str]:
    """debug_learning: every figure of the update."""
    for key, value in metrics.items():
        yield f"{key} = {value:.6g}"
