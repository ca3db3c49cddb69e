"""One control at a time: what the car does shows that no two of them are swapped on the way to the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.field import CONTROLS
from rltui.sim.state import GameState
from tests.fakes.arenas import batch, flat_setup

IDLE = (0.0,) * 8
GROUND, AIR = (0.0, 0.0, 17.0), (0.0, 0.0, 900.0)


def only(**controls: float) -> np.ndarray:
    """An idle row and one with these controls."""
    return np.array([IDLE, [controls.get(name, 0.0) for name in CONTROLS]], np.float32)


def after(rows: np.ndarray, place: tuple[float, float, float], row: int = 1, speed: float = 0.0) -> GameState:
    """A car that looks along +x, with +y on its right, after four steps of one row."""
    arena = batch(rows=rows)
    setup = flat_setup([place], ball=(0, 3000, 93.15))
    setup.velocity[:, 0] = speed
    arena.reset([0], [setup])
    for _ in range(4):
        arena.step(np.array([[row]]))
    return arena.state


MEASURES = {
    "along": lambda state: state.velocity[0, 0, 0],
    "turn": lambda state: state.angular_velocity[0, 0, 2],
    "nose": lambda state: state.forward[0, 0, 2],
    "roll": lambda state: state.up[0, 0, 1],
    "height": lambda state: state.position[0, 0, 2],
    "boost": lambda state: state.boost[0, 0],
    "handbrake": lambda state: state.handbrake[0, 0],
}


def effects(rows: np.ndarray, place: tuple[float, float, float], speed: float) -> dict[str, int]:
    """Sign of the change against idling, of everything that changed beyond what suspension and grip do by themselves."""
    idle, driven = after(rows, place, 0, speed), after(rows, place, 1, speed)
    tolerance = {
        "along": 60.0,
        "turn": 0.3,
        "nose": 0.05,
        "roll": 0.05,
        "height": 5.0,
        "boost": 0.01,
        "handbrake": 0.01,
    }
    changes = {name: float(measure(driven) - measure(idle)) for name, measure in MEASURES.items()}
    return {name: int(np.sign(change)) for name, change in changes.items() if abs(change) > tolerance[name]}


def test_a_control_alone(subtests: pytest.Subtests) -> None:
    for control, value, place, expected in (
        ("throttle", 1.0, GROUND, {"along": 1}),
        ("throttle", -1.0, GROUND, {"along": -1}),
        ("steer", 1.0, GROUND, {"turn": 1}),
        ("steer", -1.0, GROUND, {"turn": -1}),
        ("handbrake", 1.0, GROUND, {"handbrake": 1}),
        ("jump", 1.0, GROUND, {"height": 1}),
        ("boost", 1.0, GROUND, {"along": 1, "boost": -1}),
        ("pitch", 1.0, AIR, {"nose": 1}),
        ("pitch", -1.0, AIR, {"nose": -1}),
        ("yaw", 1.0, AIR, {"turn": 1}),
        ("yaw", -1.0, AIR, {"turn": -1}),
        ("roll", 1.0, AIR, {"roll": 1}),
        ("roll", -1.0, AIR, {"roll": -1}),
        ("boost", 1.0, AIR, {"along": 1, "boost": -1}),
        ("steer", 1.0, AIR, {}),
        ("pitch", 1.0, GROUND, {}),
        ("yaw", 1.0, GROUND, {}),
        ("roll", 1.0, GROUND, {}),
    ):
        with subtests.test(control=control, value=value, place=place, expected=expected):
            speed = 300.0 if control == "steer" else 0.0  # a standing car does not turn
            assert effects(only(**{control: value}), place, speed) == expected


def test_a_jump_in_the_air_is_a_double_jump_and_with_pitch_a_flip() -> None:
    assert after(only(jump=1.0), AIR).has_double_jumped.all()
    flip = after(only(jump=1.0, pitch=-1.0), AIR)
    assert flip.has_flipped.all() and flip.is_flipping.all() and not flip.has_double_jumped.any()
    assert flip.velocity[0, 0, 0] == pytest.approx(500.0, abs=1.0)


def test_the_state_shows_the_controls_that_were_chosen() -> None:
    row = [0.5, -0.5, 0.25, -0.25, 0.75, 1.0, 0.0, 1.0]
    arena = batch(rows=np.array([IDLE, row], np.float32))
    arena.reset([0], [flat_setup([GROUND])])
    assert not arena.state.previous_actions.any()
    arena.step(np.array([[1]]))
    assert arena.state.previous_actions.tolist() == [[row]]
    arena.reset([0], [flat_setup([GROUND])])
    assert not arena.state.previous_actions.any()
