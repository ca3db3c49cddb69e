"""Turtle figures over iterations, against arithmetic by hand, and their pane."""

from __future__ import annotations

import math

import pytest

from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes import turtle
from rltui.tui.panes.turtle import TurtlePane
from tests.fakes import figure_stories, run_story
from tests.fakes.drawn_panes import STORY, drawn


def test_turtle_is_empty_until_a_car_turtles() -> None:
    text = " ".join(drawn(TurtlePane(), STORY).split())
    assert "No car has landed on its roof yet" in text
    assert "T starts new episodes on the roof" in text


def test_turtle_table_references_and_charts() -> None:
    turtled = [figure_stories.turtled(index, 10, 8, 1, ticks=100.0) for index in range(608, 620)]
    text = drawn(TurtlePane(), fold(STORY, [*turtled, figure_stories.turtled(620, 0, 0)]), 100, 40)
    rows = {line[:15].strip(): line[15:].split() for line in text.split("\n")[:10]}
    assert rows["turtled"] == ["0", "120", "120"]
    assert rows["cut"] == ["0", "12", "12"], "counted apart"
    assert rows["success"] == ["–", "89", "%", "(82–94)", "89", "%", "(82–94)"]
    assert rows["mean time"][1:] == ["0.8", "s,", "100", "ticks"] * 2
    assert "median 90 ticks (0.8 s), p90 140 (1.2 s); 1 it. ago" in text
    order = [
        line.split("  ")[1] for line in text.split("\n") if (line.startswith("  ") and "━" in line) or "never" in line
    ]
    assert [name.strip() for name in order] == ["jump press", "this bot, median", "throttle + roll", "throttle", "idle"]
    assert any("recovered" in line and "turtled" in line and "/min" in line for line in text.split("\n")), (
        "charts side by side"
    )


def history(*iterations: object) -> History:
    return fold(RunSnapshot(), [*run_story.opening(), *iterations]).history  # type: ignore[list-item]


def test_counts_add_up_and_the_mean_counts_by_recoveries() -> None:
    found = history(
        figure_stories.turtled(1, 10, 6, 2, ticks=100.0),
        figure_stories.turtled(2, 0, 0),
        figure_stories.turtled(3, 4, 2, 2, ticks=180.0),
    )
    whole = turtle.over(found)
    assert (whole.events, whole.recovered, whole.failed, whole.censored) == (14, 8, 4, 2)
    assert whole.rate == pytest.approx(8 / 12)
    assert whole.mean_ticks == pytest.approx((6 * 100 + 2 * 180) / 8)
    assert whole.per_minute == pytest.approx((1.0 + 0.0 + 0.4) / 3)
    newest = turtle.over(found, rows=1)
    assert (newest.events, newest.rate, newest.mean_ticks) == (4, 0.5, 180.0)
    assert turtle.over(found, rows=2).events == 4


def test_the_newest_known_figure_and_its_age() -> None:
    found = history(figure_stories.turtled(1, 2, 2, ticks=100.0), figure_stories.turtled(2, 0, 0))
    assert turtle.newest(found, "turtle/median_ticks") == (90.0, 1)
    assert turtle.newest(found, "turtle/nothing") == (None, 0)
    quiet = turtle.over(found, rows=1)
    assert (quiet.rate, quiet.interval, quiet.mean_ticks) == (None, None, None), "unknown, not 0"


def test_iterations_that_say_nothing_of_turtles_are_passed_over() -> None:
    found = history(run_story.iteration(1), figure_stories.turtled(2, 3, 3, ticks=81.0))
    whole = turtle.over(found)
    assert (whole.events, whole.mean_ticks, whole.per_minute) == (3, 81.0, pytest.approx(0.3))
    assert turtle.any_turtled(found)
    assert not turtle.any_turtled(history(figure_stories.turtled(1, 0, 0)))
    assert not turtle.any_turtled(history(run_story.iteration(1)))


def test_lanes_are_counted_apart() -> None:
    match = figure_stories.turtled(1, 3, 3)
    practice = figure_stories.turtled(1, 8, 2, 6, group="mechanics/")
    both = match.metrics | practice.metrics
    found = History().extended([(1, both)])
    assert turtle.groups(found) == ["", "mechanics/"]
    assert (turtle.over(found).events, turtle.over(found, "mechanics/").failed) == (3, 6)


def test_curves_group_neighbours() -> None:
    found = history(*(figure_stories.turtled(index, 2, index % 2 + 1, 1 - index % 2) for index in range(1, 11)))
    xs, rates, often = turtle.curves(found, points=5)
    assert xs == [index * run_story.STEPS for index in (2, 4, 6, 8, 10)]
    assert rates == [75.0] * 5, "of two iterations: 3 recovered, 1 not"
    assert often == pytest.approx([0.2] * 5)
    assert math.isnan(turtle.curves(history(figure_stories.turtled(1, 0, 0)))[1][0])
