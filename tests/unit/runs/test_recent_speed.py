"""The speed of a run, over its newest iterations together."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import Record
from rltui.runs.journal_reader import SPEED_ITERATIONS, recent_speed
from tests.fakes import run_story


def iterations(*speeds: float | None) -> list[Record]:
    rows = [run_story.iteration(index + 1) for index in range(len(speeds))]
    return [
        msgspec.structs.replace(row, metrics={**row.metrics, OVERALL_SPEED: speed})
        for row, speed in zip(rows, speeds, strict=True)
    ]


def test_two_iterations_of_one_size_take_the_time_of_both() -> None:
    """100 steps at 10/s and 100 at 40/s: 200 steps in 12.5 s."""
    found = recent_speed(iterations(10.0, 40.0))
    assert found is not None and found.steps_per_second == pytest.approx(16.0) and found.iterations == 2


def test_only_the_newest_count_and_only_those_of_the_newest_start() -> None:
    found = recent_speed(iterations(*[1.0] * 30, *[50.0] * SPEED_ITERATIONS))
    assert found is not None and found.steps_per_second == pytest.approx(50.0) and found.iterations == SPEED_ITERATIONS
    restarted = [*iterations(*[1.0] * 30), *run_story.opening("alpha"), *iterations(50.0, 50.0)]
    found = recent_speed(restarted)
    assert found is not None and found.steps_per_second == pytest.approx(50.0) and found.iterations == 2


def test_what_is_no_speed_is_left_out(subtests: pytest.Subtests) -> None:
    for speed in [None, 0.0, -1.0, float("nan"), float("inf")]:
        with subtests.test(speed=repr(speed)):
            assert recent_speed(iterations(speed)) is None
            found = recent_speed(iterations(speed, 20.0))
            assert found is not None and found.iterations == 1
