"""Files of recorded states, as a user's own program may write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.sim.recorded_states import FLOOR_Z, NEEDED, OPTIONAL
from rltui.sim.state import ArenaSetup, GameState


def setup_of(state: GameState, arena: int) -> ArenaSetup:
    """The arena's present state as the first of an episode."""
    forward, up, position = state.forward[arena], state.up[arena], state.position[arena]
    return ArenaSetup(
        ball_position=state.ball_position[arena].copy(),
        ball_velocity=state.ball_velocity[arena].copy(),
        ball_angular_velocity=state.ball_angular_velocity[arena].copy(),
        position=position.copy(),
        velocity=state.velocity[arena].copy(),
        angular_velocity=state.angular_velocity[arena].copy(),
        rotation=np.stack([forward, np.cross(up, forward), up], axis=2),
        boost=state.boost[arena].copy(),
        on_ground=state.on_ground[arena].copy(),
        pad_timers=state.pad_timers[arena].copy(),
        flip_used=state.has_flipped[arena] | state.has_double_jumped[arena],
        body_down=state.world_contact[arena] & (position[:, 2] < FLOOR_Z),
    )


def stacked(setups: Sequence[ArenaSetup]) -> dict[str, NDArray[Any]]:
    """Arrays for `save`; what not all of them have is left out."""
    names = [*NEEDED, *(name for name in OPTIONAL if all(getattr(setup, name, None) is not None for setup in setups))]
    return {name: np.stack([getattr(setup, name) for setup in setups]) for name in names}


def save(path: Path, blue: int, orange: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, blue=blue, orange=orange, **arrays)
