"""Driving: which controls bring a car to a place, through a dodge and onto its wheels; played in the simulator too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.field import CONTROLS
from rltui.opponents import driving
from rltui.opponents.own_view import OwnView
from rltui.sim.state import Int
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.field_scenes import Ball, Blue, seen

ROWS = driving.rows()
BLUE = np.s_[:, :1]
FAST = 2300.0


def controls(row: Int) -> dict[str, float]:
    return dict(zip(CONTROLS, ROWS[row.item()].tolist(), strict=True))


def one(value: Any) -> np.ndarray:
    return np.full((1, 1), value)


def driven(blue: Blue, angle: float, distance: float, speed: float = FAST, tight: bool = True) -> dict[str, float]:
    view = OwnView(seen(Ball(), blue), BLUE)
    return controls(driving.drive(view, one(np.float32(angle)), one(np.float32(distance)), one(speed), one(tight)))


def test_rows_are_controls() -> None:
    assert ROWS.dtype == np.float32
    assert np.all(np.abs(ROWS[:, :5]) <= 1)
    assert set(np.unique(ROWS[:, 5:])) <= {0.0, 1.0}
    assert len(ROWS) == driving.JUMP + 1


def test_it_steers_to_the_side_where_the_target_lies() -> None:
    for side in (-1, 1):
        assert driven(Blue(speed=800), side * 0.2, 2000)["steer"] * side > 0.5
        assert driven(Blue(speed=800), side * 1.0, 2000)["steer"] == side
    assert driven(Blue(speed=800), 0.0, 2000)["steer"] == 0


def test_it_boosts_when_far_and_facing(subtests: pytest.Subtests) -> None:
    for name, blue, angle, speed, boosts in (
        ("far and facing", Blue(speed=800), 0.1, FAST, 1),
        ("not facing", Blue(speed=800), 0.6, FAST, 0),
        ("no hurry", Blue(speed=800), 0.1, 900.0, 0),
        ("empty", Blue(speed=800, boost=0), 0.1, FAST, 0),
        ("as fast as can be", Blue(speed=2290), 0.1, FAST, 0),
    ):
        with subtests.test(name):
            assert driven(blue, angle, 3000, speed)["boost"] == boosts


def test_it_turns_with_the_handbrake_only_at_speed_and_far_around() -> None:
    for blue, angle, slides in ((Blue(speed=1000), 2.5, 1), (Blue(speed=1000), 0.5, 0), (Blue(speed=100), 2.5, 0)):
        assert driven(blue, angle, 2000)["handbrake"] == slides


def test_it_slows_down_where_the_target_lies_inside_its_turning_circle() -> None:
    near, fast = Blue(speed=1800), 500.0
    assert driven(near, 1.0, fast)["throttle"] < 0
    assert driven(near, 1.0, fast, tight=False)["throttle"] == 1
    assert driven(near, 1.0, 4000)["throttle"] == 1


def test_throttle_follows_the_speed_that_is_wanted() -> None:
    found = [driven(Blue(speed=1000), 0.0, 3000, speed)["throttle"] for speed in (1400.0, 900.0, 700.0, 300.0)]
    assert found == [1, 0.5, 0, -1]


def test_a_dodge_goes_where_the_target_lies() -> None:
    for angle, pitch, yaw in ((0, -1, 0), (np.pi / 2, 0, 1), (-np.pi / 2, 0, -1), (np.pi, 1, 0)):
        pressed = controls(driving.dodge(one(np.float32(angle))))
        assert (pressed["pitch"], pressed["yaw"]) == pytest.approx((pitch, yaw), abs=1e-6)
        assert pressed["jump"] == 1


def test_a_car_in_the_air_turns_wheels_down_and_nose_along_its_way() -> None:
    """From any position, within 1.6 s."""
    arenas, rng = batch(12, rows=ROWS), np.random.default_rng(4)
    setups = [flat_setup([(0, -2000, 1600)], ball=(3000, 0, 93.15)) for _ in range(12)]
    for setup in setups:
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        setup.rotation[0] = turn * np.sign(np.linalg.det(turn))
        setup.velocity[0] = (0, 1000, 0)
    arenas.reset(range(12), setups)
    state = arenas.state
    for _ in range(24):
        view = OwnView(state, BLUE)
        arenas.step(driving.level_out(view, view.ball, np.zeros((12, 1), np.bool_)))
    assert not state.on_ground.any()
    assert state.up[:, 0, 2].min() > 0.9
    assert state.forward[:, 0, 1].min() > 0.9


def test_a_dodge_is_left_to_turn() -> None:
    view = OwnView(seen(Ball(), Blue(speed=500)), BLUE)
    pressed = controls(driving.level_out(view, view.ball, one(True)))
    assert [pressed[axis] for axis in ("pitch", "yaw", "roll")] == [0, 0, 0]
