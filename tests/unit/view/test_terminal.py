"""The picture on a terminal: painted in place, seldom enough, only what has changed, and taken away again."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from rltui.view.terminal import ENTER, LEAVE, TerminalPicture
from rltui.view.text_view import draw
from tests.fakes.moments import car, moment

PLACED = re.compile(r"\x1b\[(\d+);1H([^\x1b]*)")


class Clock:
    """Stands still unless moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Screen:
    """What a terminal shows of what is written to it: lines at places, on a second screen."""

    def __init__(self, width: int, height: int) -> None:
        self.out, self.clock, self.size = io.StringIO(), Clock(), (width, height)
        self.lines: list[str] = []
        self.picture = TerminalPicture(self.out, lambda: self.size, colour=False, clock=self.clock)

    def take(self) -> str:
        """What was written since the last call."""
        text = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        if "\x1b[2J" in text:
            self.lines = [""] * self.size[1]
        for row, line in PLACED.findall(text):
            self.lines[int(row) - 1] = line
        return text


def test_the_screen_shows_the_picture_and_the_status(subtests: pytest.Subtests) -> None:
    for width, height in ((80, 24), (120, 40), (5, 3), (1, 1)):
        with subtests.test(width=width, height=height):
            screen = Screen(width, height)
            screen.picture.status = lambda: "q quit"
            shown = moment()
            screen.picture.show(shown)
            assert screen.take().startswith(ENTER)
            assert screen.lines[:-1] == draw(shown, width, height - 1)
            assert screen.lines[-1] == "q quit".ljust(width - 1)[: max(0, width - 1)]


def test_only_what_has_changed_is_written() -> None:
    screen = Screen(80, 24)
    screen.picture.show(moment())
    whole = len(screen.take())
    screen.clock.now += 1
    screen.picture.show(moment())
    assert screen.take() == ""
    screen.clock.now += 1
    later = moment(tick=66 * 120, ball_position=(0.0, 900.0, 93.0), cars=(car(0, (0.0, -4500.0, 17.0)),))
    screen.picture.show(later)
    assert 0 < len(screen.take()) < whole / 2
    assert screen.lines[:-1] == draw(later, 80, 23)


def test_at_most_twenty_times_a_second() -> None:
    screen = Screen(80, 24)
    painted = 0
    for step in range(240):
        screen.clock.now = 100 + step / 120
        screen.picture.show(moment(tick=step * 120))
        painted += bool(screen.take())
    assert painted <= 40
    assert painted >= 30


def test_another_size_is_painted_anew() -> None:
    screen = Screen(80, 24)
    screen.picture.show(moment())
    screen.take()
    for size in ((120, 40), (20, 5), (80, 24)):
        screen.size = size
        screen.clock.now += 1
        screen.picture.show(moment())
        assert "\x1b[2J" in screen.take()
        assert screen.lines[:-1] == draw(moment(), size[0], size[1] - 1)


def test_it_leaves_once_and_only_what_it_entered() -> None:
    screen = Screen(80, 24)
    screen.picture.close()
    assert screen.take() == ""
    screen.picture.show(moment())
    screen.take()
    screen.picture.close()
    screen.picture.close()
    screen.clock.now += 1
    screen.picture.show(moment())
    assert screen.take() == LEAVE


@pytest.mark.parametrize("method", ["write", "flush"])
def test_a_closed_window_is_told_and_raises_nothing(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Callable[..., None] | None] = []
    out = io.StringIO()

    def closed(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(out, method, closed, raising=False)
    picture = TerminalPicture(out, lambda: (80, 24), gone=lambda: told.append(None))
    picture.show(moment())
    picture.close()
    assert len(told) == 1
