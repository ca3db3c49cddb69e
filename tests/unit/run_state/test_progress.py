"""Speed, changes, goals and promotion, against slow twins and arithmetic by hand; unknown is None, never 0."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pytest

from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.promotion import criteria_reached, distances, phase_position
from rltui.events.records import IterationFinished, Record, RunFinished, RunResumed, RunStarted
from rltui.run_state import progress
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.progress import (
    change_since,
    criteria,
    is_last_phase,
    is_new,
    iteration_times,
    phase_now,
    steps_by_skill,
)
from rltui.run_state.snapshot import RunSnapshot, WorkerRow
from rltui.run_state.trend import Findings
from rltui.run_state.verdict import with_findings
from rltui.runs.journal_reader import SPEED_ITERATIONS, current_records, recent_speed
from tests.fakes import figure_stories, run_story


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


def test_there_is_no_speed_while_training_waits_for_a_stopped_worker() -> None:
    trains = fold(RunSnapshot(), [*run_story.opening(), at(1, 1000.0)])
    waits = replace(trains, workers=(WorkerRow(0, "stopped"), WorkerRow(1, "waiting")))
    assert progress.recent(trains) is not None and progress.recent(waits) is None


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


def test_a_metric_s_change_is_of_what_the_verdict_judges() -> None:
    """A figure that grows by 1 a row, judged from row 100 on: of 300 rows the mean of 50 against that of 250."""
    rows = [(100 * row, {"x": 1e6 if row < 100 else float(row)}) for row in range(400)]
    snapshot = RunSnapshot(history=History().extended(rows), found=Findings(first=100))
    found = change_since(snapshot, "x")
    assert found is not None and (found.by, found.before, found.span) == (150.0, 224.5, 150)
    assert change_since(snapshot, "y") is None
    assert change_since(replace(snapshot, found=Findings(first=341)), "x") is None, "59 rows are too few"
    longer = snapshot.history.extended((40_000 + row, {"x": 400.0 + row}) for row in range(10_000))
    of_many = change_since(replace(snapshot, history=longer), "x")
    assert of_many is not None and (of_many.by, of_many.span) == (600.0, 600)


OPEN = fold(RunSnapshot(alive=True), [*run_story.opening(), *run_story.iterations(1, 40)])


def with_header(**changes: object) -> RunSnapshot:
    assert isinstance(OPEN.header, RunStarted)
    return replace(OPEN, header=msgspec.structs.replace(OPEN.header, **changes))


def test_beyond_the_limit_the_way_is_whole_and_takes_no_time() -> None:
    limit = progress.step_targets(with_header(step_limit=OPEN.timesteps - 1))[-1]
    assert (limit.name, limit.share, limit.seconds) == ("limit", 1.0, 0.0)


def test_saved_ahead_of_what_is_told_is_no_way_back() -> None:
    """A live frame's steps can be older than a checkpoint's."""
    checkpoint = progress.step_targets(replace(OPEN, saved_timesteps=OPEN.timesteps + 1000))[0]
    assert checkpoint.share == 0.0


def test_what_is_switched_off_is_no_goal(subtests: pytest.Subtests) -> None:
    for off, left in (("save_every", ["milestone"]), ("milestone_interval", ["checkpoint"])):
        with subtests.test(off=off, left=left):
            assert [goal.name for goal in progress.step_targets(with_header(**{off: 0}))] == left


def test_after_the_last_phase_there_is_none() -> None:
    campaign = fold(RunSnapshot(), figure_stories.campaign(80))
    assert "promotion" in [goal.name for goal in progress.step_targets(campaign)]
    plan = campaign.plan
    assert plan is not None
    at = replace(campaign, plan=msgspec.structs.replace(plan, phases=plan.phases[:1]))
    assert is_last_phase(at)
    assert "promotion" not in [goal.name for goal in progress.step_targets(at)]


STEPS = run_story.STEPS


def test_each_criterion_has_its_own_way() -> None:
    found = {way.label: way for way in criteria(fold(RunSnapshot(), figure_stories.campaign(80)))}
    touches = found["kickoff touches"]
    assert (touches.value, touches.wanted, touches.missing, touches.unit) == (40.0, 80.0, 40.0, "%")
    assert touches.share == pytest.approx(0.5)
    assert touches.steps == pytest.approx(160 * STEPS), "it rises by a quarter each iteration"
    assert found["own goals"].steps == 0.0 and found["own goals"].less
    assert found["timesteps"].steps == 500_000 - 20 * STEPS
    assert found["iterations"].missing == 0
    assert list(found) == ["kickoff touches", "own goals", "timesteps", "iterations"]


def test_the_last_one_decides() -> None:
    snapshot = fold(RunSnapshot(), figure_stories.campaign(80))
    assert steps_by_skill(criteria(snapshot)) == pytest.approx(160 * STEPS)


def test_too_few_iterations_promise_nothing() -> None:
    snapshot = fold(RunSnapshot(), figure_stories.campaign(9))
    assert steps_by_skill(criteria(snapshot)) is None


def test_what_wanders_or_goes_the_other_way_promises_nothing(subtests: pytest.Subtests) -> None:
    for name, touches in (
        ("falls", lambda row: 60 - row / 4),
        ("stands", lambda row: 40.0),
        ("wanders", lambda row: row * 7919 % 13),
    ):
        with subtests.test(name):
            told = [figure_stories.on_the_way(row, touches(row)) for row in range(1, 81)]
            found = criteria(fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan(), *told]))
            assert {way.label: way.steps for way in found}["kickoff touches"] is None


def test_the_trend_is_that_of_this_phase_alone() -> None:
    records = [*figure_stories.campaign(80), run_story.phase_changed(run_story.now_of(80), 80 * STEPS)]
    again = [figure_stories.on_the_way(index, 30.0) for index in range(81, 86)]
    assert {way.label: way.steps for way in criteria(with_findings(fold(RunSnapshot(), [*records, *again])))}[
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


def test_a_phase_goes_on_with_its_first_figures_also_where_the_clock_is_set_back() -> None:
    begun = run_story.phase_changed(run_story.START + 3600, 100)
    first = msgspec.structs.replace(
        run_story.iteration(1), time=run_story.START, timesteps=200, metrics={"timesteps": 200.0}
    )
    snapshot = fold(RunSnapshot(), [begun])
    assert is_new(snapshot) and not is_new(fold(snapshot, [first]))


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
