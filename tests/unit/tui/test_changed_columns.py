"""What is sent of a line that was drawn anew: all that differs, and no more."""

from __future__ import annotations

import random

import pytest
from textual.geometry import Region

from rltui.tui.panes.live_match import changed_columns, changed_regions
from rltui.tui.text import Line


@pytest.mark.parametrize(
    ("was", "now", "columns"),
    [
        ((("abc", ""),), (("abc", ""),), None),
        ((("abc", ""),), (("a", ""), ("bc", "")), None),  # the same, otherwise cut
        ((("abc", ""),), (("aXc", ""),), (1, 2)),
        ((("abc", ""),), (("a", ""), ("b", "bad"), ("c", "")), (1, 2)),
        ((("abc", ""),), (("ab", ""),), (2, 3)),
        ((("ab", ""),), (("ab   ", ""),), None),  # blanks at its end are what is there
        ((), (("  x", ""),), (2, 3)),
        ((("abcdefghijkl", ""),), (("abcdefghijkX", ""),), None),  # beyond the room
        ((("名ab", ""),), (("名aX", ""),), (0, 10)),  # a column is not a character
    ],
)
def test_columns(was: Line, now: Line, columns: tuple[int, int] | None) -> None:
    assert changed_columns(was, now, 10) == columns


def test_rows() -> None:
    before: list[Line] = [(("same", ""),), (("old", ""),), (("gone", ""),), (("below the room", ""),)]
    now: list[Line] = [(("same", ""),), (("odd", ""),)]
    assert changed_regions(before, now, 20, 3) == [Region(1, 1, 1, 1), Region(0, 2, 4, 1)]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_sent_makes_the_old_picture_the_new_one(seed: int) -> None:
    rng = random.Random(seed)

    def lines() -> list[Line]:
        return [
            tuple((rng.choice("ab ") * rng.randint(1, 3), rng.choice(("", "bad"))) for _ in range(rng.randint(0, 4)))
            for _ in range(rng.randint(0, 5))
        ]

    def grid(of: list[Line]) -> list[list[tuple[str, str]]]:
        cells = [[(char, role) for text, role in line for char in text][:8] for line in of[:4]]
        return [row + [(" ", "")] * (8 - len(row)) for row in cells + [[]] * (4 - len(cells))]

    before, now = lines(), lines()
    shown, wanted = grid(before), grid(now)
    for x, y, width, _ in changed_regions(before, now, 8, 4):
        assert shown[y][x] != wanted[y][x] and shown[y][x + width - 1] != wanted[y][x + width - 1]
        shown[y][x : x + width] = wanted[y][x : x + width]
    assert shown == wanted
