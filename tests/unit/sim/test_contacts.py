"""What touches the world: wheels and the normal of what the body lies on, for all cars or for one on demand."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.actions.rlgym import IDLE
from rltui.errors import RltuiError
from rltui.sim.arena_batch import ArenaBatch
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.collisions import FAR, rammed


def lying(z: float = 60.0) -> ArenaBatch:
    """A car on its roof beside one on its wheels."""
    arenas = batch(teams=(1, 1), contacts=True)
    setup = flat_setup([(0, 0, z), (500, 0, 17)], ball=FAR)
    setup.rotation[0] = np.diag([1.0, -1.0, -1.0])
    arenas.reset([0], [setup])
    return arenas


def test_a_car_on_its_roof_lies_on_the_floor_and_one_on_its_wheels_does_not() -> None:
    arenas = lying()
    state = arenas.state
    assert state.contacts.wheels.tolist() == [[0, 4]] and not state.contacts.normal.any()  # until the first tick
    for _ in range(15):
        arenas.step(np.array([[IDLE, IDLE]]))
    assert state.position[0, 0, 2] == pytest.approx(39.6, abs=0.1) and state.up[0, 0, 2] == pytest.approx(-1, abs=1e-3)
    assert state.contacts.wheels.tolist() == [[0, 4]]
    assert state.contacts.normal.tolist() == [[[0, 0, 1], [0, 0, 0]]]
    assert state.world_contact.tolist() == [[True, False]] and state.on_ground.tolist() == [[False, True]]
    assert arenas.contact(0, 0) == (0, (0, 0, 1)) and arenas.contact(0, 1) == (4, (0, 0, 0))


def test_the_normal_goes_with_the_contact() -> None:
    """The simulator keeps it after the car has left the floor."""
    arenas = lying()
    for _ in range(15):
        arenas.step(np.array([[IDLE, IDLE]]))
    car = arenas._arenas[0].cars[0]
    state = car.get_state()
    state.pos.z = 500.0
    car.set_state(state)
    arenas.step(np.array([[IDLE, IDLE]]))
    assert car.get_state().world_contact_normal.z == 1
    assert not arenas.state.contacts.normal.any() and arenas.contact(0, 0) == (0, (0, 0, 0))


def test_a_demolished_car_touches_nothing() -> None:
    arenas, _ = rammed()
    assert arenas._arenas[0].cars[1].get_state().is_on_ground
    assert arenas.contact(0, 1) == (0, (0, 0, 0)) and not arenas.state.world_contact[0, 1]


def test_contacts_are_read_only_where_they_are_asked_for() -> None:
    with pytest.raises(RltuiError, match="contacts is not read here"):
        _ = batch().state.contacts
