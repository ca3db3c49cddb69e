"""The way to the next phase: what is missing, and when it is there by the trend, against arithmetic by hand."""

from __future__ import annotations

import pytest

from rltui.events.promotion import criteria_reached, distances, phase_position
from rltui.run_state.fold import fold
from rltui.run_state.progress import criteria, phase_now, steps_by_skill, steps_until
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import figure_stories, run_story

STEPS = run_story.STEPS


def test_a_straight_rise_goes_on() -> None:
    assert steps_until([(100.0 * step, 3.0 * step) for step in range(10)], 30.0) == pytest.approx(1000.0)
    assert steps_until([(100.0 * step, 50 - 3.0 * step) for step in range(10)], -15.0) == pytest.approx(500.0)


def test_a_fall_a_standstill_and_a_figure_that_wanders_promise_nothing() -> None:
    assert steps_until([(step, -float(step)) for step in range(10)], 5.0) is None
    assert steps_until([(step, 4.0) for step in range(10)], 5.0) is None
    assert steps_until([(step, (step * 7919) % 13 + 0.01 * step) for step in range(40)], 5.0) is None


def test_each_criterion_has_its_own_way() -> None:
    found = {way.label: way for way in criteria(fold(RunSnapshot(), figure_stories.campaign(20)))}
    touches = found["kickoff touches"]
    assert (touches.value, touches.wanted, touches.missing, touches.unit) == (40.0, 80.0, 40.0, "%")
    assert touches.share == pytest.approx(0.5)
    assert touches.steps == pytest.approx(40 * STEPS), "it rises by 1 each iteration"
    assert found["own goals"].steps == 0.0 and found["own goals"].less
    assert found["timesteps"].steps == 500_000 - 20 * STEPS
    assert found["iterations"].missing == 0
    assert list(found) == ["kickoff touches", "own goals", "timesteps", "iterations"]


def test_the_last_one_decides() -> None:
    snapshot = fold(RunSnapshot(), figure_stories.campaign(20))
    assert steps_by_skill(criteria(snapshot)) == pytest.approx(40 * STEPS)


def test_too_few_iterations_promise_nothing() -> None:
    snapshot = fold(RunSnapshot(), figure_stories.campaign(9))
    assert steps_by_skill(criteria(snapshot)) is None


def test_the_trend_is_that_of_this_phase_alone() -> None:
    records = [*figure_stories.campaign(40), run_story.phase_changed(run_story.now_of(40), 40 * STEPS)]
    again = [figure_stories.on_the_way(index, 30.0) for index in range(41, 46)]
    assert {way.label: way.steps for way in criteria(fold(RunSnapshot(), [*records, *again]))}[
        "kickoff touches"
    ] is None


def test_before_the_first_iteration_the_criteria_are_known_and_not_measured() -> None:
    snapshot = fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan()])
    assert phase_now(snapshot) == 0
    assert [(way.label, way.value, way.steps) for way in criteria(snapshot)] == [
        ("kickoff touches", None, None),
        ("own goals", None, None),
    ]


def test_a_new_phase_is_there_before_its_first_figures() -> None:
    records = [*figure_stories.campaign(40), run_story.phase_changed(run_story.now_of(40), 40 * STEPS)]
    assert phase_now(fold(RunSnapshot(), records)) == 1


def test_outside_campaigns_there_is_no_way() -> None:
    snapshot = fold(RunSnapshot(), run_story.told(5))
    assert (phase_now(snapshot), criteria(snapshot)) == (None, [])
    assert steps_by_skill([]) is None


def test_in_words_for_command_line_and_console() -> None:
    metrics = figure_stories.on_the_way(10, 62.04).metrics
    assert phase_position(metrics) == "phase 1 of 3"
    assert criteria_reached(metrics) == "1 of 4 reached"
    assert [distance.words for distance in distances(metrics)] == [
        "timesteps of the phase 204,800 (295,200 missing)",
        "kickoff touches 62 (18 missing)",
        "own goals per minute 0.2 (reached)",
        "iterations measured 10 (10 missing)",
    ]
    assert distances(figure_stories.on_the_way(10, None).metrics)[1].words == "kickoff touches –"
    assert (phase_position({}), criteria_reached({}), distances({})) == ("", "", [])
