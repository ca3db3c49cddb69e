"""Speed, seconds at work, changes, goals and promotion, against slow twins and arithmetic by hand; unknown is None, never 0."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import msgspec
import pytest

from rltui.events.episode_reward import FIRST_EPISODES, PART, REWARD
from rltui.events.metric_keys import ITERATION_SECONDS, OVERALL_SPEED
from rltui.events.promotion import criteria_reached, distances, phase_position
from rltui.events.records import IterationFinished, Record, RunFinished, RunResumed, RunStarted
from rltui.run_state import progress
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.progress import (
    MetricChange,
    at_work,
    change_since,
    criteria,
    is_last_phase,
    iteration_times,
    phase_now,
    span_words,
    steps_by_skill,
    steps_until,
)
from rltui.run_state.snapshot import RunSnapshot
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


def since_history(rows: int, seconds: float = 60.0) -> History:
    """A figure that grows by 2 with each iteration, one of which is done in `seconds`."""
    return History().extended((100 * row, {"x": 2.0 * row, "clock": 1e9 + seconds * row}) for row in range(rows))


def test_over_the_last_hour() -> None:
    assert change_since(since_history(400, 30.0), "x") == MetricChange(549.0, 789.0, "1 h")
    # 120 iterations of 30 s are an hour: rows 390–399 against rows 270–279


def test_over_the_newest_iterations_where_there_is_no_hour_or_too_little_in_it() -> None:
    assert change_since(since_history(400, 1.0), "x") == MetricChange(589.0, 789.0, "100 it."), (
        "rows 390–399 against 290–299"
    )
    assert change_since(since_history(400, 60.0), "x") == MetricChange(589.0, 789.0, "100 it."), (
        "an hour has 60 iterations"
    )


def test_nothing_where_too_little_is_known() -> None:
    assert change_since(since_history(109), "x") is None
    assert change_since(since_history(110), "x") == MetricChange(9.0, 209.0, "100 it.")
    assert change_since(since_history(400), "y") is None
    gone = since_history(400).extended([(50_000 + row, {"x": math.nan, "clock": 2e9}) for row in range(6)])
    assert change_since(gone, "x") is None, "six of the newest ten are unknown"


def test_a_hole_does_not_count() -> None:
    holed = since_history(400, 1.0).extended([(50_000, {"x": None, "clock": 1e9 + 400})])
    found = change_since(holed, "x")
    assert found is not None and found.value == pytest.approx(
        2 * (sum(range(391, 400)) / 9 - sum(range(291, 301)) / 10)
    )


def test_rewards_of_short_episodes_alone_do_not_count(subtests: pytest.Subtests) -> None:
    for key in (REWARD, f"{PART}touch"):
        with subtests.test(key=key):

            def resumed(share: float, key: str = key) -> History:
                """The newest six of 206 iterations came after a resume, in which so many % of the arenas had their first episode."""
                rows = (
                    (row, {key: 2.0 * row, "train/entropy": 2.0 * row, FIRST_EPISODES: share if row >= 200 else 0.0})
                    for row in range(206)
                )
                return History().extended(rows)

            change = MetricChange(2.0 * 100.5, 2.0 * 200.5, "100 it.")  # rows 196–205 against 96–105
            assert change_since(resumed(0.0), key) == change_since(resumed(80.0), "train/entropy") == change
            assert change_since(resumed(80.0), key) is None, "four of the newest ten count"


def test_a_change_within_a_twentieth_is_noise(subtests: pytest.Subtests) -> None:
    """Of the larger end: 5 of 105 are less, 6 of 106 and of 100 more."""
    for before, now, way in (
        (100.0, 106.0, 1),
        (100.0, 94.0, -1),
        (100.0, 105.0, 0),
        (-1.0, 1.0, 1),
        (1.0, -1.0, -1),
        (0.0, 0.0, 0),
        (0.0, 1e-6, 1),
    ):
        with subtests.test(before=before, now=now, way=way):
            assert MetricChange(before, now, "1 h").way == way


def test_every_place_names_the_same_span() -> None:
    assert [span_words(since_history(400, seconds)) for seconds in (30.0, 1.0)] == ["1 h", "100 it."]
    assert span_words(History()) == "100 it."


def test_an_hour_counts_from_as_many_rows_on_as_a_hundred_iterations_and_its_own_end_have() -> None:
    assert change_since(since_history(130, 30.0), "x") == MetricChange(9.0, 249.0, "1 h"), "rows 0–9 lie before it"
    assert change_since(since_history(129, 30.0), "x") == MetricChange(47.0, 247.0, "100 it.")
    assert span_words(since_history(200, 36.0)) == "1 h", "it has exactly a hundred"


def test_a_young_run_has_not_changed(subtests: pytest.Subtests) -> None:
    for rows in (0, 1, 10, 60, 99, 109):
        with subtests.test(rows=rows):
            assert change_since(since_history(rows), "x") is None


def test_half_of_an_end_is_enough() -> None:
    def known(count: int) -> MetricChange | None:
        gone = [(50_000 + row, {"x": math.nan, "clock": 2e9}) for row in range(10 - count)]
        return change_since(since_history(400, 1.0).extended(gone), "x")

    found = known(5)
    assert found is not None and found.now == 2 * 397.0, "rows 395 to 399"
    assert known(4) is None


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
    campaign = fold(RunSnapshot(), figure_stories.campaign(20))
    assert "promotion" in [goal.name for goal in progress.step_targets(campaign)]
    plan = campaign.plan
    assert plan is not None
    at = replace(campaign, plan=msgspec.structs.replace(plan, phases=plan.phases[:1]))
    assert is_last_phase(at)
    assert "promotion" not in [goal.name for goal in progress.step_targets(at)]


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
