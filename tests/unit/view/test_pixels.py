"""A match as pixels: where ball, cars and pads are, and that a picture changes with them alone."""

from __future__ import annotations

from rltui.field import PAD_POSITIONS
from rltui.view.pixels import BALL, HEIGHT, NOSE, PAD, TEAMS, WIDTH, WRECK, pixels
from tests.fakes.moments import car, moment


def at(image: object, x: float, y: float) -> tuple[int, ...]:
    """The colour at a place of the field: +y to the right, +x up."""
    return tuple(image[int(HEIGHT / 2 - x / 20), int(WIDTH / 2 + y / 20)].tolist())  # type: ignore[index]


def test_things_are_where_they_are() -> None:
    cars = (car(0, (2000.0, -3000.0, 17.0)), car(1, (-2000.0, 3000.0, 17.0), demolished=True))
    image = pixels(moment(ball_position=(1000.0, 500.0, 93.0), cars=cars))
    assert image.shape == (HEIGHT, WIDTH, 3)
    assert at(image, 1000, 500) == BALL and at(image, 1000, -500) != BALL
    assert at(image, 2000, -3040) == TEAMS[0] and at(image, 2000, -2920) == NOSE
    assert at(image, -2000, 3040) == WRECK
    assert at(image, *PAD_POSITIONS[7][:2]) == PAD


def test_a_pad_that_is_taken_is_not_shown_and_a_high_ball_is_larger() -> None:
    taken = tuple(float(index == 7) for index in range(34))
    before, after = pixels(moment()), pixels(moment(pad_timers=taken))
    assert at(after, *PAD_POSITIONS[7][:2]) != PAD and (before != after).sum() < 200
    low, high = (pixels(moment(ball_position=(1000.0, 500.0, z))) for z in (93.0, 1900.0))
    white = [int((image == BALL).all(axis=2).sum()) for image in (low, high)]
    assert white[1] > 2 * white[0]


def test_what_is_outside_is_not_drawn() -> None:
    pixels(moment(ball_position=(9000.0, -9000.0, 93.0), cars=(car(0, (-4200.0, 6100.0, 17.0)),)))
