"""Rows in words."""

from __future__ import annotations

import pytest

from rltui.actions.table import describe
from rltui.registry import Component, build


def test_words(subtests: pytest.Subtests) -> None:
    for row, words in (
        ((0, 0, 0, 0, 0, 0, 0, 0), "idle"),
        ((1, 0, 0, 0, 0, 0, 0, 0), "full throttle"),
        ((1, -1, 0, -1, 0, 0, 1, 0), "full throttle, left, boost"),
        ((-1, 0.5, 0, 0.5, 0, 0, 0, 1), "full reverse, half right, handbrake"),
        ((0.5, 0, 0, 0, 0, 0, 0, 0), "half throttle"),
        ((-0.25, 0, 0, 0, 0, 0, 0, 0), "25 % reverse"),
        ((0, 0, -1, 0, 0, 1, 0, 0), "nose down, jump"),
        ((0, 0, 0.5, 0, -1, 0, 0, 0), "half nose up, roll left"),
        ((0, 1, 0, 0, 0, 0, 0, 0), "steer right"),
        ((0, 0, 0, -1, 0, 0, 0, 0), "yaw left"),
        ((0, 1, 0, -1, 0.125, 0, 0, 0), "steer right, yaw left, 12.5 % roll right"),
    ):
        with subtests.test(row=row, words=words):
            assert describe(row) == words


def test_no_two_rows_have_the_same_words(subtests: pytest.Subtests) -> None:
    for table in ("rlgym", "hybrid"):
        with subtests.test(table=table):
            rows = build("action table", Component(table)).rows()
            assert len({describe(row) for row in rows}) == len(rows)
