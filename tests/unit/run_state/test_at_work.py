"""Seconds at work between two iterations: against a slow twin and arithmetic by hand; unknown is None, never 0."""

from __future__ import annotations

import math
import random

import pytest

from rltui.events.metric_keys import ITERATION_SECONDS
from rltui.run_state.history import History
from rltui.run_state.progress import at_work

NAN = math.nan


def history(own: list[float], clock: list[float] | None = None) -> History:
    rows = [{ITERATION_SECONDS: seconds, **({"clock": clock[row]} if clock else {})} for row, seconds in enumerate(own)]
    return History().extended(enumerate(rows))


def test_the_first_row_s_own_seconds_lie_before_it() -> None:
    known = history([1.0, 2.0, 4.0, 8.0])
    assert at_work(known, 0, 4) == 14.0
    assert at_work(known, 1, 3) == 4.0
    assert at_work(known, 2, 99) == 8.0, "it ends with the last row there is"


def test_between_a_row_and_itself_nothing_is_known(subtests: pytest.Subtests) -> None:
    for start, end in ((3, 4), (4, 4), (2, 1), (3, 99)):
        with subtests.test(start=start, end=end):
            assert at_work(history([1.0, 2.0, 4.0, 8.0]), start, end) is None


def test_a_row_without_its_own_seconds_has_those_since_the_one_before() -> None:
    clock = [100.0, 110.0, 125.0, 1125.0]
    assert at_work(history([1.0, 2.0, NAN, 8.0], clock), 0, 4) == 2 + 15 + 8, "the pause in the last one is none of it"
    assert at_work(history([1.0, 2.0, NAN, 8.0]), 0, 4) is None, "nor does a clock tell it"
    assert at_work(history([1.0, 2.0, NAN, 8.0], [100.0, NAN, 125.0, 133.0]), 0, 4) is None
    only_clock = History().extended((row, {"clock": moment}) for row, moment in enumerate(clock))
    assert at_work(only_clock, 0, 3) == 25.0
    assert at_work(History().extended([(0, {"x": 1.0}), (1, {"x": 1.0})]), 0, 2) is None


def test_as_added_up_one_by_one(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            draw = random.Random(seed)
            own = [draw.choice((NAN, float(draw.randrange(1, 9)))) for _ in range(30)]
            clock = [0.0]
            for seconds in own[1:]:
                clock.append(clock[-1] + (5.0 if math.isnan(seconds) else seconds + draw.choice((0.0, 600.0))))
            start = draw.randrange(28)
            end = draw.randrange(start + 2, 31)
            total = 0.0
            for row in range(start + 1, end):
                total += clock[row] - clock[row - 1] if math.isnan(own[row]) else own[row]
            assert at_work(history(own, clock), start, end) == total
