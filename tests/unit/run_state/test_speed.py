"""The speed of a run: one figure, whether the cockpit works it out of its history or lists read it off the journal."""

from __future__ import annotations

import random

import msgspec
import pytest

from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import IterationFinished, Record, RunFinished, RunResumed
from rltui.run_state import progress
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.runs.journal_reader import SPEED_ITERATIONS, current_records, recent_speed
from tests.fakes import run_story


def at(index: int, speed: float | None) -> IterationFinished:
    row = run_story.iteration(index)
    return msgspec.structs.replace(row, metrics={**row.metrics, OVERALL_SPEED: speed})


def started_again(index: int) -> list[Record]:
    """From the checkpoint after that iteration."""
    time, steps = run_story.START + 1000 * index, index * run_story.STEPS
    resumed = RunResumed(time=time, timesteps=steps, checkpoint="", reason="")
    return [run_story.header(timesteps=steps, time=time), resumed]


def story(seed: int) -> list[Record]:
    """Some starts, each with some iterations and from some way back; some speeds are not known."""
    draw = random.Random(seed)
    told: list[Record] = list(run_story.opening())
    last = 0
    for _ in range(draw.randrange(1, 5)):
        for _ in range(draw.choice((0, 1, 3, 15, 30))):
            last += 1
            told.append(at(last, draw.choice((None, draw.uniform(1e3, 2e4)))))
        if draw.random() < 0.5:
            told.append(RunFinished(time=run_story.START, timesteps=last, exit_code=0, reason="stopped"))
        last = max(last - draw.choice((0, 0, 2)), 0)
        told += started_again(last)
    if draw.random() < 0.5:
        told.append(RunFinished(time=run_story.START, timesteps=last, exit_code=0, reason="stopped"))
    return told


def test_cockpit_and_lists_tell_the_same_speed_over_the_same_iterations(subtests: pytest.Subtests) -> None:
    for seed in range(40):
        with subtests.test(seed=seed):
            told = story(seed)
            assert progress.recent(fold(RunSnapshot(), told)) == recent_speed(current_records(told))


def test_a_new_start_has_a_speed_of_its_own_from_its_first_iteration_on() -> None:
    slow = [*run_story.opening(), *(at(index, 1000.0) for index in range(1, 31))]
    before = progress.recent(fold(RunSnapshot(), [*slow, *started_again(30)]))
    assert before is None, "the former start's speed is none of this one"
    early = RunFinished(time=run_story.START + 40_000, timesteps=30 * run_story.STEPS, exit_code=0, reason="Ctrl-C")
    ended = progress.recent(fold(RunSnapshot(), [*slow, *started_again(30), early]))
    assert ended is not None and (ended.steps_per_second, ended.iterations) == (pytest.approx(1000.0), SPEED_ITERATIONS)
    after = progress.recent(fold(RunSnapshot(), [*slow, *started_again(30), at(31, 8000.0)]))
    assert after is not None and (after.steps_per_second, after.iterations) == (8000.0, 1)
