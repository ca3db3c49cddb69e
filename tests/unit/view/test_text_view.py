"""The picture of a match: as golden text at fixed sizes, and at any size whatever happens in the match."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from rltui.events.match_frames import MatchFrame
from rltui.view.text_view import STYLES, clock_text, draw, runs
from tests.fakes.game_states import TEAM_SIZES
from tests.fakes.moments import car, moment, random_moment

GOLDEN = Path(__file__).parents[2] / "golden" / "view"
UPDATE = "RLTUI_UPDATE_GOLDEN"
SGR = re.compile(r"\x1b\[[0-9;]*m")


def duel() -> MatchFrame:
    """Blue is on the ground behind a ball in the air, orange on its roof; a goal was scored just now."""
    return moment(
        goal=1,
        ball_position=(1200.0, 2100.0, 640.0),
        trail=tuple((1200.0 - 130 * back, 2100.0 - 160 * back, 640.0 - 40 * back) for back in range(12, 0, -1)),
        cars=(
            car(0, (-300.0, -600.0, 17.0), forward=(0.7, 0.7, 0.0), boost=78.0, touches=12),
            car(1, (1500.0, 3900.0, 45.0), forward=(-1.0, 0.0, 0.0), on_ground=False, body_down=True, boost=0.0),
        ),
        pad_timers=tuple(5.0 if index in (3, 7, 18, 20) else 0.0 for index in range(34)),
    )


def crowd() -> MatchFrame:
    """3v3 with a wreck, a car in the air, one on the wall and one in the goal."""
    return moment(
        tick=(3600 + 61) * 120,
        names=("data/checkpoints/milestones/very-long-run-name/Phase1-Quick/000.1M", "名前\x1b[31m"),
        score=(10, 12),
        ball_position=(-3000.0, -4000.0, 1900.0),
        cars=(
            car(0, (0.0, -5500.0, 17.0), boost=100.0),
            car(0, (4050.0, 0.0, 900.0)),
            car(0, (1000.0, 1000.0, 17.0), demolished=True),
            car(1, (-2500.0, -3500.0, 1700.0), on_ground=False, boost=55.5),
            car(1, (0.0, 4608.0, 17.0), touches=105),
            car(1, (0.0, 0.0, 2020.0), boost=12.0),
        ),
    )


def test_the_picture_is_as_it_was(subtests: pytest.Subtests) -> None:
    for ascii_only in (False, True):
        for width, height in ((80, 24), (120, 40)):
            for scene in (duel, crowd):
                with subtests.test(ascii_only=ascii_only, width=width, height=height, scene=scene):
                    lines = draw(scene(), width, height, ascii_only)  # type: ignore[operator]
                    text = "\n".join(line.rstrip() for line in lines) + "\n"
                    path = GOLDEN / f"{scene.__name__}-{width}x{height}-{'ascii' if ascii_only else 'unicode'}.txt"  # type: ignore[attr-defined]
                    if os.environ.get(UPDATE):
                        path.write_text(text, encoding="utf-8")
                    assert path.is_file(), f"no {path.name}; look at the picture, then set {UPDATE}=1 once"
                    assert text == path.read_text(encoding="utf-8"), (
                        f"{path.name} has changed; if that is right, set {UPDATE}=1 once"
                    )


SIZES = [(0, 0), (1, 1), (3, 40), (200, 2), (39, 12), (40, 12), (41, 13), (80, 24), (81, 25), (200, 50), (60, 100)]


def test_any_size_is_filled_exactly(subtests: pytest.Subtests) -> None:
    for width, height in SIZES:
        with subtests.test(width=width, height=height):
            rng = np.random.default_rng([width, height])
            for teams in TEAM_SIZES:
                shown = random_moment(rng, *teams)
                for ascii_only in (False, True):
                    lines = draw(shown, width, height, ascii_only)
                    assert [len(line) for line in lines] == [width] * height
                    assert not ascii_only or all(line.isascii() and line.isprintable() for line in lines)


def test_colours_change_no_character() -> None:
    coloured = draw(crowd(), 100, 30, colour=True)
    assert [SGR.sub("", line) for line in coloured] == draw(crowd(), 100, 30)
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b[") for line in coloured)
    painted = runs(crowd(), 100, 30)
    assert ["".join(text for text, _ in line) for line in painted] == draw(crowd(), 100, 30)
    assert {style for line in painted for _, style in line} <= {"", *STYLES}


def place_of(glyph: str, shown: MatchFrame) -> tuple[int, int]:
    """Row and column in the field, without the heights on the right and the lines of the cars."""
    lines = draw(shown, 120, 40)[:-1]
    found = [(row, line[:113].index(glyph)) for row, line in enumerate(lines) if glyph in line[:113]]
    assert len(found) == 1
    return found[0]


def test_up_is_the_left_hand_of_blue_and_right_is_the_goal_of_orange() -> None:
    far = (car(0, (-3000.0, -5000.0, 17.0)), car(1, (-3000.0, 5000.0, 17.0)))
    middle, high, right = (
        place_of("●", moment(ball_position=place, cars=far))
        for place in ((0.0, 0.0, 93.0), (2000.0, 0.0, 93.0), (0.0, 2000.0, 93.0))
    )
    assert high[0] < middle[0] and high[1] == middle[1]
    assert right[1] > middle[1] and right[0] == middle[0]
    assert right[1] - middle[1] == pytest.approx(2 * (middle[0] - high[0]), abs=1)  # cells are twice as high as wide


def test_the_ball_shows_its_height(subtests: pytest.Subtests) -> None:
    for z, glyph in ((93.0, "●"), (249.0, "●"), (250.0, "◉"), (799.0, "◉"), (800.0, "○")):
        with subtests.test(z=z, glyph=glyph):
            place_of(glyph, moment(ball_position=(0.0, 100.0, z)))


def test_a_car_points_where_it_looks(subtests: pytest.Subtests) -> None:
    for forward, glyph in (
        ((0, 1, 0), "→"),
        ((1, 1, 0), "↗"),
        ((1, 0, 0), "↑"),
        ((0, -1, 0), "←"),
        ((-1, 0, 0), "↓"),
        ((-1, -1, 0), "↙"),
    ):
        with subtests.test(forward=forward, glyph=glyph):
            lines = draw(moment(cars=(car(0, (500.0, 500.0, 17.0), forward=forward),)), 120, 40)
            assert any(f"{glyph}B" in line for line in lines)


def test_time_played() -> None:
    assert [clock_text(ticks) for ticks in (0, 119, 120, 7800, 3661 * 120)] == [
        "0:00",
        "0:00",
        "0:01",
        "1:05",
        "1:01:01",
    ]


def test_of_a_cars_figures_none_is_cut(subtests: pytest.Subtests) -> None:
    for width, words in (
        (120, "33 air     z  300 1500 uu/s touches 7"),
        (80, "33 air     z  300 touches 7"),
        (56, "33 air     z  300"),
        (44, "33 air"),
    ):
        with subtests.test(width=width, words=words):
            moving = car(0, (0.0, 0.0, 300.0), velocity=(900.0, 0.0, -1200.0), on_ground=False, touches=7)
            line = draw(moment(cars=(moving, car(1, (0.0, 0.0, 17.0)))), width, 24)[-1]
            assert line[: width // 2].rstrip().endswith(words)
