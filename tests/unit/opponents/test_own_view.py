"""OwnView: orange sees what blue sees in the turned game; bearings; the ball's path against the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.opponents.own_view import TIMES, OwnView
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.field_scenes import Ball, Blue, scene, seen
from tests.fakes.game_states import counterparts, random_state, turned
from tests.fakes.tables import IDLE

BLUE = np.s_[:, :1]


def test_orange_sees_what_blue_sees_in_the_turned_game() -> None:
    state = random_state(np.random.default_rng(1), 50, 2, 3)
    view, other = OwnView(state, np.s_[:, :]), OwnView(turned(state), np.s_[:, :])
    assert {"place", "ball_velocity", "right_z", "pad_timers", "speed"} <= vars(view).keys()
    for name, value in vars(view).items():
        np.testing.assert_array_equal(getattr(other, name), value[:, counterparts(state)], err_msg=name)


def test_axes_and_places_are_the_states() -> None:
    state = random_state(np.random.default_rng(2), 20, 1, 1)
    view, right = OwnView(state, BLUE), np.cross(state.up, state.forward)[:, :1]
    np.testing.assert_allclose(view.right, right[..., 0] + 1j * right[..., 1], atol=1e-6)
    np.testing.assert_allclose(view.right_z, right[..., 2], atol=1e-6)
    np.testing.assert_array_equal(view.place, state.position[:, :1, 0] + 1j * state.position[:, :1, 1])
    np.testing.assert_array_equal(view.ball_height, state.ball_position[:, None, 2])
    along = np.sum(state.velocity * state.forward, axis=-1)[:, :1]
    np.testing.assert_allclose(view.speed, along, rtol=1e-5, atol=1e-2)


def test_bearings_are_positive_to_the_right(subtests: pytest.Subtests) -> None:
    """To a car that looks up the field +x is on the left."""
    for place, expected in ((300j, 0), (-300 + 0j, np.pi / 2), (300 + 0j, -np.pi / 2), (-1 - 300j, np.pi)):
        with subtests.test(place=place):
            view = OwnView(seen(Ball(), Blue()), BLUE)
            angle, distance = view.bearing(np.full((1, 1), place, np.complex64), 17)
            assert angle[0, 0] == pytest.approx(expected, abs=0.01)
            assert distance[0, 0] == pytest.approx(300, abs=0.1)


def followed(ball: Ball) -> np.ndarray:
    """Where the simulator has the ball at TIMES, [T, 3]."""
    arenas = scene(ball, Blue((-3000.0, -4000.0)))
    places = []
    for _ in range(round(float(TIMES[-1]) * 15)):
        arenas.step(np.full((1, 2), IDLE))
        places.append(arenas.state.ball_position[0].copy())
    steps = np.arange(1, len(places) + 1) / 15
    return np.stack([np.interp(TIMES, steps, np.array(places)[:, axis]) for axis in range(3)], axis=1)


def test_the_ball_goes_where_it_was_said_to_go(subtests: pytest.Subtests) -> None:
    """But for friction and spin at a bounce."""
    for name, ball, until, within in (
        ("sliding", Ball((0, 0, 93.15), (600, 900, 0)), 2.2, 10),
        ("thrown", Ball((0, 0, 400), (500, -700, 900)), 3.0, 50),
        ("dropped", Ball((0, 1000, 1200), (0, 0, -1)), 3.5, 40),
        ("off the side wall", Ball((3500, 0, 500), (1200, 300, 200)), 1.4, 120),
        ("off the back wall", Ball((2500, 4500, 500), (0, 1500, 200)), 1.2, 120),
    ):
        with subtests.test(name):
            view = OwnView(seen(ball, Blue((-3000.0, -4000.0))), BLUE)
            places, heights = view.ball_path()
            said = np.stack([places.real[0, 0], places.imag[0, 0], heights[0, 0]], axis=1)
            gaps = np.linalg.norm(said - followed(ball), axis=1)[until >= TIMES]
            assert gaps.max() < within, gaps.round()


def test_a_shot_between_the_posts_flies_on_and_one_beside_them_comes_back() -> None:
    for x, scores in ((500.0, True), (1500.0, False)):
        view = OwnView(seen(Ball((x, 4000, 200), (0, 2000, 0)), Blue()), BLUE)
        places, _ = view.ball_path()
        assert (places.imag.max() > 5300) == scores


def test_nothing_is_divided_by_nothing() -> None:
    with np.errstate(all="raise"):
        arenas = batch(teams=(1, 0))
        arenas.reset([0], [flat_setup([(0, 0, 17)], ball=(0, 0, 93.15))])
        places, heights = OwnView(arenas.state, BLUE).ball_path()
    assert np.isfinite(places).all() and np.isfinite(heights).all()
