"""Where the time goes: shares sum to one, against arithmetic by hand."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.events.metric_health import PART_ADVICE
from rltui.events.records import Record
from rltui.run_state import progress
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.progress import iteration_times
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.pane import View
from rltui.tui.panes.time import (
    TimePane,
    TimePart,
    advice,
    bottleneck,
    folded,
    parts,
    percents,
    share_of_limit,
    worked_seconds,
)
from rltui.tui.text import plain, width_of
from tests.fakes import run_story
from tests.fakes.drawn_panes import STORY, with_metrics

METRICS: dict[str, float | None] = {
    "time/iteration": 10.0, "time/collect": 6.0, "time/learn": 3.0, "time/save": 0.5, "time/simulate": 60.0,
    "time/state": 10.0, "time/infer": 30.0, "worker/0/seconds": 6.0, "worker/1/seconds": 4.0,
}  # fmt: skip


def shares(metrics: dict[str, float | None]) -> dict[str, float | None]:
    return {part.name: part.share for part in parts(RunSnapshot(metrics=metrics))}


def test_the_parts_of_an_iteration() -> None:
    # the workers work 5 s of the 6 on average: 3, 0.5 and 1.5 s by their microseconds; 1 s is waited; 0.5 s is the rest
    assert shares(METRICS) == pytest.approx(
        {"update": 0.3, "simulate": 0.3, "read state": 0.05, "infer": 0.15, "wait": 0.1, "save": 0.05, "the rest": 0.05}
    )
    assert share_of_limit(RunSnapshot(metrics=METRICS)) == pytest.approx(0.5)


def test_of_an_update_that_overlaps_collecting_what_outlasts_it_counts() -> None:
    """Else it would be the bottleneck, while the workers are."""
    outlasting: dict[str, float | None] = {
        **METRICS,
        "time/iteration": 8.0,
        "time/learn": 7.5,
    }  # 6 s of it while collecting
    assert shares(outlasting)["update"] == pytest.approx(1.5 / 8)
    assert shares({**outlasting, "time/iteration": 6.5})["update"] == 0.0


def test_without_the_workers_own_seconds_all_of_collecting_is_theirs() -> None:
    metrics = {key: value for key, value in METRICS.items() if not key.startswith("worker/")}
    assert worked_seconds(metrics, 6.0) == 6.0
    assert "wait" not in shares(metrics)
    assert shares(metrics)["simulate"] == pytest.approx(0.36)


def test_what_is_unknown_is_no_zero() -> None:
    assert shares({}) == {"update": None, "save": None}
    assert bottleneck(parts(RunSnapshot())) is None
    assert share_of_limit(RunSnapshot()) is None
    assert shares({**METRICS, "time/learn": None})["update"] is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.0, 100.0), min_size=9, max_size=9), st.floats(0.0, 3.0))
def test_shares_sum_to_one_and_percents_to_a_hundred(values: list[float], stretch: float) -> None:
    collect, learn, save, *rest = values
    metrics: dict[str, float | None] = {
        "time/iteration": (collect + learn + save) * stretch + 0.01, "time/collect": collect, "time/learn": learn,
        "time/save": save, "time/simulate": rest[0] + 0.1, "time/infer": rest[1], "time/reset": rest[2],
        "worker/0/seconds": rest[3], "worker/1/seconds": rest[4],
    }  # fmt: skip
    found = parts(RunSnapshot(metrics=metrics))
    assert sum(part.share or 0.0 for part in found) == pytest.approx(1.0, abs=5e-3)
    for room in (2, 4, 99):
        shown = folded(found, room)
        assert len(shown) <= room
        assert sum(part.share or 0.0 for part in shown) == pytest.approx(1.0, abs=5e-3)
        whole = [0 if text.startswith("<") else int(text.split()[0]) for text in percents(shown)]
        assert sum(whole) == 100


def test_rounding_goes_to_the_largest_remainders() -> None:
    assert percents([TimePart("a", 1 / 3), TimePart("b", 1 / 3), TimePart("c", 1 / 3)]) == ["34 %", "33 %", "33 %"]
    assert percents([TimePart("a", 0.996), TimePart("b", 0.004), TimePart("c", 0.0), TimePart("d", None)]) == [
        "100 %",
        "<1 %",
        "0 %",
        "–",
    ]


def test_the_smallest_parts_become_one() -> None:
    found = [
        TimePart("update", 0.5, seconds=5),
        TimePart("infer", 0.3, seconds=3),
        TimePart("reset", 0.15, seconds=1.5),
        TimePart("save", 0.05, seconds=0.5),
    ]
    *kept, rest = folded(found, 3)
    assert kept == found[:2]
    assert (rest.name, rest.seconds) == ("the rest", 2.0)
    assert rest.share == pytest.approx(0.2)
    assert folded(found, 4) == found


def test_the_bottleneck_is_named_with_what_to_change() -> None:
    top = bottleneck(parts(RunSnapshot(metrics=METRICS)))
    assert top is not None
    assert advice(TimePart("update", 0.58), "58 %", "cpu").startswith(
        "Bottleneck: update takes 58 %; try fewer ppo.epochs"
    )
    assert "GPU" in advice(TimePart("update", 0.58), "58 %", "cpu")
    assert "ppo.minibatch" in advice(TimePart("update", 0.58), "58 %", "cuda:0")
    assert advice(TimePart("controls", 0.4), "40 %", "cpu") == "Bottleneck: controls takes 40 %."
    told = {part.name for part in parts(RunSnapshot(metrics=run_story.iteration(5).metrics))}
    assert told <= set(PART_ADVICE)


def test_the_pane_fits_and_names_the_largest_part(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [(20, 5), (38, 12), (38, 16), (60, 9), (76, 20), (150, 40)]
    for width, height in cases:
        with subtests.test(width=width, height=height):
            row = run_story.iteration(120)
            snapshot = replace(
                RunSnapshot(metrics=row.metrics), header=msgspec.structs.replace(run_story.header(), device="cpu")
            )
            text = plain(TimePane().draw(View(snapshot, 0.0), width, height))
            assert "update" in text
            assert len(text.split("\n")) <= height


def swinging(rows: int, start: int = 0) -> RunSnapshot:
    """A run in which now learning and now simulating takes longest; in all it is simulating."""
    told: list[Record] = [msgspec.structs.replace(run_story.header(), timesteps=start)]
    for number in range(1, rows + 1):
        row = run_story.iteration(number)
        collect, learn = (9.0, 1.0) if number % 2 else (2.0, 3.0)
        swung = {
            **METRICS, "time/iteration": collect + learn, "time/collect": collect, "time/learn": learn, "time/save": 0.0,
            "time/state": 0.0, "time/infer": 0.0, "worker/0/seconds": collect, "worker/1/seconds": collect,
            "time/collected_steps_per_second": 900 / collect, "time/overall_steps_per_second": 900 / (collect + learn),
        }  # fmt: skip
        told.append(msgspec.structs.replace(row, metrics=swung))
    return fold(RunSnapshot(), told)


def test_what_limits_is_judged_over_the_newest_twenty_iterations() -> None:
    """Of one alone learning takes 60 % and then 10 %: of all together 4 of 15 s."""
    for rows in (40, 41):
        snapshot = swinging(rows)
        shares = {part.name: part.share for part in parts(snapshot)}
        assert shares["update"] == pytest.approx(4 / 15) and shares["simulate"] == pytest.approx(11 / 15)
        text = plain(TimePane().draw(View(snapshot, 0.0), 76, 20))
        assert "over 20 it." in text and "Bottleneck: simulate takes 73 %" in text
    assert "over 3 it." in plain(TimePane().draw(View(swinging(3), 0.0), 76, 20))


def test_speeds_are_of_the_same_iterations_as_the_header_s() -> None:
    """Of the newest alone, collecting is at 100 steps a second, and 120 are told of all twenty as a whole."""
    snapshot = swinging(41)
    times = iteration_times(snapshot).metrics
    overall, told = times["time/overall_steps_per_second"], progress.recent(snapshot)
    assert snapshot.metrics["time/collected_steps_per_second"] == 100.0
    assert told is not None and overall == told.steps_per_second == pytest.approx(2 * 900 / 15)
    assert times["time/collected_steps_per_second"] == pytest.approx(2 * 900 / 11)


def test_before_the_first_iteration_of_a_start_it_says_whose_times_they_are() -> None:
    snapshot = swinging(5)
    again = fold(snapshot, [run_story.header(timesteps=snapshot.timesteps)])
    assert "before this start" in plain(TimePane().draw(View(again, 0.0), 76, 20))


def test_time_is_shared_between_learning_and_the_workers_parts() -> None:
    view = with_metrics(
        time__iteration=2.0, time__collect=1.0, time__learn=0.8, time__save=0.02, time__simulate=60.0, time__infer=20.0,
        time__reset=None,
    )  # fmt: skip
    view = replace(view, snapshot=replace(view.snapshot, history=History()))
    found = {part.name: part for part in parts(view.snapshot)}
    assert found["update"].share == pytest.approx(0.4)
    assert found["simulate"].share == pytest.approx(60 / 80 * 0.5)
    assert found["infer"].share == pytest.approx(20 / 80 * 0.5)
    assert found["reset"].share is None
    assert found["save"].share == pytest.approx(0.01)
    top = bottleneck(list(found.values()))
    assert top is not None
    assert top.name == "update"
    text = plain(TimePane().draw(view, 44, 12))
    assert "update     ━━━━━━━              40 %   0.8 s" in text
    assert "Bottleneck: update takes 40 %" in text


def test_a_long_time_keeps_its_distance_from_the_share() -> None:
    view = with_metrics(time__iteration=2.0, time__collect=1.6, time__learn=0.4, time__simulate=1_715.0)
    view = replace(view, snapshot=replace(view.snapshot, history=History()))
    lines = plain(TimePane().draw(view, 44, 12)).split("\n")
    assert next(line for line in lines if "simulate" in line).endswith("80 % 1,715 µs")
    assert all(width_of(line) <= 44 for line in TimePane().draw(view, 44, 12))


def test_time_without_figures_is_empty_and_not_zero() -> None:
    assert TimePane().has_nothing(with_metrics())
    assert bottleneck(parts(replace(STORY, metrics={}))) is None
