"""Terminals: which arenas end, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.registry import Component, build
from rltui.sim.terminals import ticks
from tests.fakes.game_states import random_state


def state(**fields: Any) -> Any:
    made = random_state(np.random.default_rng(0), arenas=4, blue=1, orange=1)
    for name, value in fields.items():
        setattr(made, name, np.array(value))
    return made


def done(name: str, options: dict[str, Any], **fields: Any) -> list[bool]:
    answer = build("terminal", Component(name, options)).done(state(**fields))
    assert answer.dtype == np.bool_
    return list(answer.tolist())


def test_goal_ends_for_either_team() -> None:
    assert done("goal", {}, goal=[0, 1, -1, 0]) == [False, True, True, False]


def test_no_touch_counts_from_the_last_touch_and_from_the_reset() -> None:
    """2 s are 240 ticks: the step that reaches them ends; a touch in that step, or later ones, do not."""
    ends = done("no_touch", {"seconds": 2}, tick=[239, 240, 1000, 1000], last_touch_tick=[0, 0, 1000, 761])
    assert ends == [False, True, False, False]
    assert done("no_touch", {}, tick=[1799, 1800, 1801, 0], last_touch_tick=[0] * 4) == [False, True, True, False]


def test_timeout_counts_from_the_reset() -> None:
    assert done("timeout", {"seconds": 2}, tick=[0, 239, 240, 248]) == [False, False, True, True]
    assert done("timeout", {}, tick=[35992, 36000, 36008, 8]) == [False, True, True, False]


def test_only_time_truncates(subtests: pytest.Subtests) -> None:
    for name, truncates in (("goal", False), ("no_touch", True), ("timeout", True)):
        with subtests.test(name=name, truncates=truncates):
            assert build("terminal", Component(name)).truncates is truncates


def test_seconds_become_whole_ticks(subtests: pytest.Subtests) -> None:
    for seconds, expected in ((15, 1800), (300, 36000), (0.1, 12), (0.7, 84), (1 / 120, 1), (1.001, 121)):
        with subtests.test(seconds=seconds, expected=expected):
            assert ticks(seconds) == expected


def test_a_time_that_is_none_is_refused(subtests: pytest.Subtests) -> None:
    for seconds in (0, -1, float("nan"), "15"):
        with subtests.test(seconds=seconds), pytest.raises(RltuiError, match="seconds must be"):
            build("terminal", Component("no_touch", {"seconds": seconds}))
