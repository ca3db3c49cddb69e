"""Setups in which something is about to happen on the ground: a demolition, a pickup."""

from __future__ import annotations

import numpy as np

from rltui.field import PAD_POSITIONS
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.tables import FULL_BOOST, IDLE

FAR = (0.0, 4000.0, 93.15)  # a ball that is in nobody's way


def ramming() -> ArenaSetup:
    """Blue, supersonic, half a second before it hits orange's side."""
    setup = flat_setup([(-1200, 0, 17), (0, 0, 17)], ball=FAR)
    setup.velocity[0, 0] = 2290.0
    setup.rotation[1] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    return setup


def rammed(seed: int = 0) -> tuple[ArenaBatch, int]:
    """A batch in the step of the demolition, and the number of that step."""
    arenas = batch(teams=(1, 1), seed=seed)
    arenas.reset([0], [ramming()])
    for step in range(15):
        arenas.step(np.array([[FULL_BOOST, IDLE]]))
        if arenas.state.demo_respawn_timer.any():
            return arenas, step
    raise AssertionError("nobody was demolished")


def passing(pad: int, boost: float, speed: float = 1500.0) -> ArenaSetup:
    """A car that drives over a pad about 16 ticks from now."""
    x, y, _ = PAD_POSITIONS[pad]
    setup = flat_setup([(x - 400, y, 17)], ball=FAR)
    setup.boost[:] = boost
    setup.velocity[0, 0] = speed
    return setup
