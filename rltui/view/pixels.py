"""A match as pixels: the field from above, pads, cars and ball."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rltui.events.match_frames import MatchFrame, Vector
from rltui.field import BACK_WALL_Y, BALL_RADIUS, BIG_PADS, CEILING_Z, CORNER, GOAL_POST_X, PAD_POSITIONS, SIDE_WALL_X

Pixels = NDArray[np.uint8]  # [HEIGHT, WIDTH, 3]
Colour = tuple[int, int, int]

WIDTH, HEIGHT = 608, 416  # multiples of 16, which encoders of video want
SCALE = 20.0  # uu a pixel: room for both nets
OUTSIDE, FLOOR, LINE, PAD, BALL, NOSE, WRECK = (
    (16, 18, 24), (38, 44, 52), (70, 78, 90), (240, 210, 90), (250, 250, 250), (250, 250, 250), (90, 90, 90),
)  # fmt: skip
TEAMS: tuple[Colour, Colour] = ((60, 140, 255), (255, 140, 40))
CAR_LENGTH, CAR_WIDTH = 220.0, 150.0  # uu: larger than life


def pixels(moment: MatchFrame) -> Pixels:
    """Blue's goal left, orange's right, blue's left hand up. The ball is larger the higher it is."""
    image = _empty_field().copy()
    for index, (timer, (x, y, _)) in enumerate(zip(moment.pad_timers, PAD_POSITIONS, strict=True)):
        if timer <= 0:
            _disc(image, x, y, 110.0 if index in BIG_PADS else 45.0, PAD)
    for car in moment.cars:
        _car(image, car.position, car.forward, WRECK if car.demolished else TEAMS[car.team])
    x, y, z = moment.ball_position
    _disc(image, x, y, BALL_RADIUS * (1.0 + max(z, 0.0) / CEILING_Z), BALL)
    return image


@lru_cache(1)
def _empty_field() -> Pixels:
    """What is the same in all pictures. To be copied."""
    x, y = _world(slice(HEIGHT), slice(WIDTH))
    across, along = np.abs(x), np.abs(y)
    field = (across < SIDE_WALL_X) & (along < BACK_WALL_Y) & (across + along < CORNER)
    image = np.full((HEIGHT, WIDTH, 3), OUTSIDE, np.uint8)
    image[field] = FLOOR
    image[field & (along < SCALE)] = LINE
    for side, colour in ((-1, TEAMS[0]), (1, TEAMS[1])):
        image[(across < GOAL_POST_X) & (y * side >= BACK_WALL_Y)] = [part // 3 for part in colour]
    return image


def _world(rows: slice, columns: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x [rows, 1] and y [1, columns] of the middles of these pixels, in uu."""
    row, column = np.arange(rows.start or 0, rows.stop), np.arange(columns.start or 0, columns.stop)
    return (HEIGHT / 2 - 0.5 - row)[:, None] * SCALE, (column + 0.5 - WIDTH / 2)[None] * SCALE


def _window(x: float, y: float, reach: float) -> tuple[slice, slice]:
    """The pixels that may be so near."""
    row, column, pad = HEIGHT / 2 - x / SCALE, WIDTH / 2 + y / SCALE, reach / SCALE + 1
    return (
        slice(max(0, int(row - pad)), max(0, min(HEIGHT, int(row + pad) + 1))),
        slice(max(0, int(column - pad)), max(0, min(WIDTH, int(column + pad) + 1))),
    )


def _disc(image: Pixels, x: float, y: float, radius: float, colour: Colour) -> None:
    window = _window(x, y, radius)
    across, along = _world(*window)
    image[window][(across - x) ** 2 + (along - y) ** 2 <= radius**2] = colour


def _car(image: Pixels, position: Vector, forward: Vector, colour: Colour) -> None:
    """A box that points where the car does, as seen from above; its front third is white."""
    (x, y, _), (forward_x, forward_y, _) = position, forward
    length = float(np.hypot(forward_x, forward_y)) or 1.0
    window = _window(x, y, CAR_LENGTH)
    across, along = (world - middle for world, middle in zip(_world(*window), (x, y), strict=True))
    ahead = (across * forward_x + along * forward_y) / length
    aside = (across * forward_y - along * forward_x) / length
    body = (np.abs(ahead) <= CAR_LENGTH / 2) & (np.abs(aside) <= CAR_WIDTH / 2)
    image[window][body] = colour
    image[window][body & (ahead > CAR_LENGTH / 6)] = NOSE
