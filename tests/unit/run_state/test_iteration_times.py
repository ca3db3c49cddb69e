"""An iteration's seconds and parts on average: of this start's newest twenty, else what the newest one before it told."""

from __future__ import annotations

import pytest

from rltui.events.records import Record, RunResumed
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.progress import iteration_times
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import run_story

LEARN, RATE, WORKER = "time/learn", "time/collected_steps_per_second", "worker/0/seconds"


def run(rows: int) -> RunSnapshot:
    """Of seconds 1, 2, 3 …; as many steps a second, for the arithmetic; one thing that is no time."""
    told = [
        (100 * row, {LEARN: float(row), RATE: float(row), WORKER: float(row), "x": 1.0}) for row in range(1, rows + 1)
    ]
    return RunSnapshot(metrics=told[-1][1], history=History().extended(told))


def test_seconds_are_means_and_speeds_are_steps_by_time() -> None:
    found = iteration_times(run(4))
    assert found.iterations == 4
    assert found.metrics == {LEARN: 2.5, WORKER: 2.5, RATE: pytest.approx(4 / (1 / 1 + 1 / 2 + 1 / 3 + 1 / 4))}


def test_only_the_newest_twenty_count() -> None:
    found = iteration_times(run(100))
    assert (found.iterations, found.metrics[LEARN]) == (20, 90.5), "rows 81 to 100"


def test_before_a_start_s_first_iteration_the_newest_one_before_it_speaks() -> None:
    again: list[Record] = [
        run_story.header(timesteps=400),
        RunResumed(time=run_story.START, timesteps=400, checkpoint="c", reason="newest"),
    ]
    found = iteration_times(fold(run(4), again))
    assert (found.iterations, found.metrics[LEARN], found.metrics[WORKER]) == (0, 4.0, 4.0)


def test_what_no_row_has_is_as_the_newest_iteration_tells_it_and_what_is_unknown_stays_so() -> None:
    told = {LEARN: None, "time/save": 0.5}
    found = iteration_times(RunSnapshot(metrics=told, history=History().extended([(100, {LEARN: None})])))
    assert found.metrics == {LEARN: None, "time/save": 0.5}
