"""`kickoff`: the ball in the middle, each car on one of the five real spawns."""

from __future__ import annotations

import numpy as np

from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.field import BALL_REST_Z, CAR_REST_Z, KICKOFF_BOOST
from rltui.sim.resets.reset import Reset
from rltui.sim.state import Float

SPAWNS = ((-2048.0, -2560.0), (2048.0, -2560.0), (-256.0, -3840.0), (256.0, -3840.0), (0.0, -4608.0))  # of blue
YAWS = (0.25, 0.75, 0.5, 0.5, 0.5)  # of blue, in half turns


class Kickoff(Reset):
    """Car i of both teams has the same spawn, turned by 180° for orange (RLGym: KickoffMutator); boost 33.3."""

    def __init__(self, params: Reset.Params) -> None:
        super().__init__(params)
        yaws = np.pi * np.array(YAWS)
        zero, one = np.zeros(5), np.ones(5)
        forward = np.stack([np.cos(yaws), np.sin(yaws), zero], axis=1)
        right = np.stack([-np.sin(yaws), np.cos(yaws), zero], axis=1)
        up = np.stack([zero, zero, one], axis=1)
        self._rotations: Float = np.stack([forward, right, up], axis=2).astype(np.float32)
        self._positions: Float = np.array([(x, y, CAR_REST_Z) for x, y in SPAWNS], np.float32)

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        spawns = rng.permutation(len(SPAWNS))
        spawn = np.concatenate([spawns[:blue], spawns[:orange]])
        turn = np.ones((blue + orange, 3), np.float32)
        turn[blue:, :2] = -1
        return ArenaSetup(
            ball_position=np.array([0.0, 0.0, BALL_REST_Z], np.float32),
            ball_velocity=np.zeros(3, np.float32),
            ball_angular_velocity=np.zeros(3, np.float32),
            position=self._positions[spawn] * turn,
            velocity=np.zeros_like(turn),
            angular_velocity=np.zeros_like(turn),
            rotation=self._rotations[spawn] * turn[:, :, None],
            boost=np.full(blue + orange, KICKOFF_BOOST, np.float32),
            on_ground=np.ones(blue + orange, np.bool_),
            kickoff=True,
        )
