"""The change over the last hour or the newest iterations, against arithmetic by hand."""

from __future__ import annotations

import math

import pytest

from rltui.events.episode_reward import FIRST_EPISODES, PART, REWARD
from rltui.run_state.history import History
from rltui.run_state.progress import MetricChange, change_since, span_words


def history(rows: int, seconds: float = 60.0) -> History:
    """A figure that grows by 2 with each iteration, one of which is done in `seconds`."""
    return History().extended((100 * row, {"x": 2.0 * row, "clock": 1e9 + seconds * row}) for row in range(rows))


def test_over_the_last_hour() -> None:
    assert change_since(history(400, 30.0), "x") == MetricChange(549.0, 789.0, "1 h")
    # 120 iterations of 30 s are an hour: rows 390–399 against rows 270–279


def test_over_the_newest_iterations_where_there_is_no_hour_or_too_little_in_it() -> None:
    assert change_since(history(400, 1.0), "x") == MetricChange(589.0, 789.0, "100 it."), "rows 390–399 against 290–299"
    assert change_since(history(400, 60.0), "x") == MetricChange(589.0, 789.0, "100 it."), "an hour has 60 iterations"


def test_nothing_where_too_little_is_known() -> None:
    assert change_since(history(109), "x") is None
    assert change_since(history(110), "x") == MetricChange(9.0, 209.0, "100 it.")
    assert change_since(history(400), "y") is None
    gone = history(400).extended([(50_000 + row, {"x": math.nan, "clock": 2e9}) for row in range(6)])
    assert change_since(gone, "x") is None, "six of the newest ten are unknown"


def test_a_hole_does_not_count() -> None:
    holed = history(400, 1.0).extended([(50_000, {"x": None, "clock": 1e9 + 400})])
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
    assert [span_words(history(400, seconds)) for seconds in (30.0, 1.0)] == ["1 h", "100 it."]
    assert span_words(History()) == "100 it."


def test_an_hour_counts_from_as_many_rows_on_as_a_hundred_iterations_and_its_own_end_have() -> None:
    assert change_since(history(130, 30.0), "x") == MetricChange(9.0, 249.0, "1 h"), "rows 0–9 lie before it"
    assert change_since(history(129, 30.0), "x") == MetricChange(47.0, 247.0, "100 it.")
    assert span_words(history(200, 36.0)) == "1 h", "it has exactly a hundred"


def test_a_young_run_has_not_changed(subtests: pytest.Subtests) -> None:
    for rows in (0, 1, 10, 60, 99, 109):
        with subtests.test(rows=rows):
            assert change_since(history(rows), "x") is None


def test_half_of_an_end_is_enough() -> None:
    def known(count: int) -> MetricChange | None:
        gone = [(50_000 + row, {"x": math.nan, "clock": 2e9}) for row in range(10 - count)]
        return change_since(history(400, 1.0).extended(gone), "x")

    found = known(5)
    assert found is not None and found.now == 2 * 397.0, "rows 395 to 399"
    assert known(4) is None
