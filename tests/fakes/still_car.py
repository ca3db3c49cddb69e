"""A reset that puts one car where a test wants it: `Component("tests.fakes.still_car:StillCar", {...})`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rltui.sim.resets.base import Reset
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import flat_setup


class StillCar(Reset):
    """Every car looks along +x, with +y on its right; the ball is far away."""

    @dataclass(frozen=True)
    class Params(Reset.Params):
        z: float = 17.0
        speed: float = 0.0
        boost: float = 100.0
        roof_down: bool = False

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        params: StillCar.Params = self.params  # type: ignore[assignment]
        places = [(0.0, 600.0 * car, params.z) for car in range(blue + orange)]
        setup = flat_setup(places, ball=(3000.0, 3000.0, 93.15))
        setup.velocity[:, 0], setup.boost[:] = params.speed, params.boost
        if params.roof_down:
            setup.rotation[:] = np.diag(np.array([1, -1, -1], np.float32))
            setup.position[:, 2], setup.on_ground[:] = 45.0, False
        return setup
