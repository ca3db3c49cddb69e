"""Demolished cars: as RLGym has them but for the ground flag, and respawned where this arena's generator says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rlgym.rocket_league.sim import RocketSimEngine

from rltui.actions.rlgym import FULL_BOOST, IDLE, JUMP
from tests.fakes.arenas import ROWS, batch, fill_rlgym_state, flat_setup
from tests.fakes.collisions import rammed, ramming


def test_as_rlgym_has_it_until_the_respawn(subtests: pytest.Subtests) -> None:
    """Orange presses jump for one step around that of the demolition: which press is still seen depends on ticks."""
    for pressed in (0, -1, -2, 1):
        with subtests.test(pressed=pressed):
            _, hit = rammed()
            arenas = batch(teams=(1, 1))
            arenas.reset([0], [ramming()])
            game: Any = RocketSimEngine()
            wanted = game.create_base_state()
            fill_rlgym_state(wanted, ramming(), 1, 1)
            game.set_state(wanted, {})
            for step in range(hit + 40):
                orange = JUMP if step == hit + pressed else IDLE
                arenas.step(np.array([[FULL_BOOST, orange]]))
                judge = game.step({"blue-0": ROWS[[FULL_BOOST] * 8], "orange-0": ROWS[[orange] * 8]}, {})
                for index, car in enumerate(judge.cars.values()):
                    state = arenas.state
                    assert state.position[0, index].tolist() == car.physics.position.tolist()
                    assert state.demo_respawn_timer[0, index] == np.float32(car.demo_respawn_timer)
                    assert state.is_holding_jump[0, index] == car.is_holding_jump
                    assert state.on_ground[0, index] == (car.on_ground and not car.is_demoed)
            assert (state.demo_respawn_timer[0, 1] > 0.2) == (pressed >= -1)  # two steps suffice to jump out of the way


def places_after_respawn(seed: int) -> tuple[int, list[float]]:
    arenas, _ = rammed(seed)
    for step in range(60):
        arenas.step(np.array([[IDLE, IDLE]]))
        if not arenas.state.demo_respawn_timer.any():
            return step, arenas.state.position[0, 1].tolist()
    raise AssertionError("nobody respawned")


def test_respawns_in_the_step_and_at_a_place_as_the_simulator_does_but_by_seed() -> None:
    step, place = places_after_respawn(0)
    assert (step, place) == places_after_respawn(0)
    assert step == 44  # 360 ticks: in the 45th step after that of the demolition
    assert (abs(place[0]), place[1]) in [(2304, 4608), (2688, 4608)] and 34 < place[2] < 36
    assert len({tuple(places_after_respawn(seed)[1]) for seed in range(6)}) > 1


def test_a_reset_forgets_the_demolition() -> None:
    arenas, _ = rammed()
    arenas.reset([0], [flat_setup([(0, 0, 17), (500, 0, 17)], ball=(0, 4000, 93.15))])
    assert not arenas.state.demo_respawn_timer.any() and arenas.state.on_ground.all()
    arenas.step(np.array([[FULL_BOOST, IDLE]]))
    assert arenas.state.on_ground.all() and not arenas.state.is_holding_jump.any()
