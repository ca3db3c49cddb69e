"""The bytes gathered from the simulator's objects are what their attributes say."""

from __future__ import annotations

import numpy as np
import pytest
import RocketSim

from rltui.sim import meshes, readout
from rltui.sim.readout import BALL, CAR, CAR_WITH_CONTACTS, Layout, Readout, offsets
from rltui.sim.state_memory import find_offsets, gather

LAYOUTS = {"ball": BALL, "car": CAR, "car with contacts": CAR_WITH_CONTACTS}


@pytest.fixture
def match() -> RocketSim.Arena:
    """A 2v2 whose cars have been driven about at random for 40 s, one of them demolished."""
    meshes.init_simulator(meshes.locate(None))
    arena, random = RocketSim.Arena(RocketSim.GameMode.SOCCAR), np.random.default_rng(3)
    cars = [arena.add_car(index % 2) for index in range(4)]
    arena.reset_kickoff(1)
    for _ in range(600):
        for car in cars:
            throttle, steer, pitch, yaw, roll = random.uniform(-1.0, 1.0, 5).tolist()
            jump, boost, handbrake = random.integers(0, 2, 3).astype(bool).tolist()
            car.set_controls(RocketSim.CarControls(throttle, steer, pitch, yaw, roll, boost, jump, handbrake))
        arena.step(8)
    cars[2].demolish()
    arena.step(1)
    return arena


def test_every_byte_is_that_of_the_attributes(match: RocketSim.Arena, subtests: pytest.Subtests) -> None:
    ball, cars = [match.ball.get_state()], [car.get_state() for car in match.get_cars()]
    for name, layout in LAYOUTS.items():
        with subtests.test(name):
            where, states = offsets(layout), ball if layout is BALL else cars
            assert where is not None, "RocketSim's objects are made in another way: steps cost a tenth more"
            found = np.zeros((len(states), len(where)), np.uint8)
            gather(states, where, found)
            assert [row.tobytes() for row in found] == [layout.pack(state) for state in states]
    assert cars[2].is_demoed


def test_without_known_offsets_attributes_give_the_same(
    match: RocketSim.Arena, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    balls, cars = [match.ball.get_state()] * 3, [car.get_state() for car in match.get_cars()] * 3
    for contacts in (False, True):
        with subtests.test(contacts=contacts):
            gathered, read = Readout(3, 4, contacts), Readout(3, 4, contacts)
            gathered.store(0, balls, cars)
            gathered.store(1, [balls[0]], cars[:4])
            with monkeypatch.context() as patched:
                patched.setattr(readout, "offsets", lambda layout: None)
                read.store(0, balls, cars)
                read.store(1, [balls[0]], cars[:4])
            for name in ("body", *(field for field, _ in readout.FIELDS)):
                assert np.array_equal(gathered.field(name), read.field(name)), name
            assert np.array_equal(gathered.ball(0), read.ball(0)) and gathered.field("boost").any()


def test_offsets_that_are_not_clear_are_not_guessed() -> None:
    still = [RocketSim.BallState() for _ in range(8)]
    assert find_offsets(still, BALL.codes, BALL.pack) is None  # zeros are everywhere
    absent = Layout("f", lambda state: (1234.5,))
    assert find_offsets(still, absent.codes, absent.pack) is None
