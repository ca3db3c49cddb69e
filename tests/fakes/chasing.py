"""Driving at the ball with RLGym's table: something happens then."""

from __future__ import annotations

import numpy as np

from rltui.sim.state import GameState
from tests.fakes.arenas import ROWS


def chase(state: GameState) -> np.ndarray:
    """Rows of the table [K, C]: full speed at the ball."""
    to_ball = state.ball_position[:, None] - state.position
    right = np.cross(state.up, state.forward)
    bearing = np.arctan2((to_ball * right).sum(axis=-1), (to_ball * state.forward).sum(axis=-1))
    steer = np.where(np.abs(bearing) < 0.1, 0, np.sign(bearing)).astype(int) + 1
    ahead = [[1, side, 0, side, 0, 0, 1, 0] for side in (-1, 0, 1)]
    return np.array([int((row == ROWS).all(axis=1).argmax()) for row in ahead])[steer]
