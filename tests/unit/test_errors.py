"""What somebody may have meant: the likest name, the only one that begins so, or none; what a traceback says."""

from __future__ import annotations

import traceback

import pytest

from rltui.errors import RltuiError, did_you_mean, hints, nearest

KNOWN = ("touch", "speed_toward_ball", "face_ball", "Goal")


def test_what_is_near(subtests: pytest.Subtests) -> None:
    for typed, meant in (
        ("tuch", "touch"), ("TOUCH", "touch"), ("goal", "Goal"), (" touch ", "touch"), ("speed", "speed_toward_ball"),
        ("fac", "face_ball"), ("fa", ""), ("zebra", ""), ("", ""),
    ):  # fmt: skip
        with subtests.test(typed):
            assert nearest(typed, KNOWN) == meant
            assert did_you_mean(typed, KNOWN) == (f'did you mean "{meant}"?' if meant else "")


def test_where_two_begin_so_nothing_is_guessed() -> None:
    assert nearest("tou", ("touch_height_bonus", "touch_ball_speed")) == ""


def test_hints_leave_out_what_is_empty() -> None:
    assert hints("", "a", "", "b") == "a\nb"


def test_a_traceback_says_what_to_do_too() -> None:
    lines = traceback.format_exception_only(RltuiError("no run alpha", "list runs: rltui ls"))
    assert lines == ["rltui.errors.RltuiError: no run alpha\n", "list runs: rltui ls\n"]
    assert len(traceback.format_exception_only(RltuiError("no run alpha"))) == 1
