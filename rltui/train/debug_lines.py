"""What `rltui train --debug` says of each iteration: how episodes began, what was chosen, what was learned, what is saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rltui.actions.action_table import CONTROLS
from rltui.learn.rollout import Rollout
from rltui.sim.field import BACK_WALL_Y, CEILING_Z, SIDE_WALL_X
from rltui.sim.state import GameState

SHOWN = 4  # arenas, or steps of one car, that are spelled out
TURNING = [CONTROLS.index(name) for name in ("steer", "yaw")]
TURTLED_UP_Z = -0.2


def reset_lines(state: GameState) -> Iterator[str]:
    """global_debug_mode: each arena's first state analysed, impossible ones flagged."""
    for arena in range(min(state.arenas, SHOWN)):
        ball = state.ball_position[arena]
        yield f"arena {arena}: ball at {_vector(ball)}, speed {np.linalg.norm(state.ball_velocity[arena]):.0f} uu/s"
        for car in range(state.cars):
            position, up = state.position[arena, car], float(state.up[arena, car, 2])
            inside = (np.abs(position) <= (SIDE_WALL_X, BACK_WALL_Y, CEILING_Z)).all() and position[2] >= 0
            yield (
                f"  car {car}: at {_vector(position)}, up.z {up:+.2f}, on ground {bool(state.on_ground[arena, car])}, "
                f"turtled {bool(state.world_contact[arena, car] and up < TURTLED_UP_Z)}, "
                f"boost {state.boost[arena, car]:.0f}, {np.linalg.norm(position - ball):.0f} uu from the ball, "
                f"speed {np.linalg.norm(state.velocity[arena, car]):.0f} uu/s"
                + ("" if inside else "  IMPOSSIBLE: outside the field")
            )


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


def _vector(values: NDArray[np.float32]) -> str:
    return "(" + ", ".join(f"{value:.0f}" for value in values) + ")"
