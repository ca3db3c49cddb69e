"""Rewards of events, by hand."""

from __future__ import annotations

import pytest

from tests.fakes.reward_scenes import play, scene, value


def test_an_event_pays_whom_it_is_about(subtests: pytest.Subtests) -> None:
    for name, field in (("shot", "shots"), ("save", "saves"), ("demo", "demos"), ("demoed", "demoed")):
        with subtests.test(name=name, field=field):
            assert value(name, scene(**{field: [[False, True]]})) == [0, 1]
            assert value(name, scene(**{field: [[False, False]]})) == [0, 0]


def test_scorer_is_the_scoring_teams_last_toucher() -> None:
    touched = scene(goal=[1], last_toucher_of=[[0, 1]], last_toucher=[1])
    assert value("scorer", touched) == [1, 0]  # though orange had the last touch of all
    assert value("scorer", scene(goal=[-1], last_toucher_of=[[0, 1]])) == [0, 1]
    assert value("scorer", scene(goal=[0], last_toucher_of=[[0, 1]])) == [0, 0]


def test_a_goal_by_a_team_that_never_touched_the_ball_has_no_scorer() -> None:
    own_goal = scene(goal=[1], last_toucher_of=[[-1, 1]], last_toucher=[1])
    assert value("scorer", own_goal) == [0, 0]
    assert value("goal", own_goal) == [1, 0]


def test_boost_pickup_counts_every_pad() -> None:
    assert value("boost_pickup", scene(pad_picked=[[0, -1]])) == [1, 0]
    assert value("boost_pickup", scene(pad_picked=[[-1, 33]])) == [0, 1]


def test_kickoff_first_touch_is_paid_once() -> None:
    kickoff = {"kickoff": [True]}
    quiet, blue, both = (scene(touches=[touches], **kickoff) for touches in ([0, 0], [2, 0], [1, 1]))
    assert play("kickoff_first_touch", quiet, quiet, blue, both) == [[0, 0], [1, 0], [0, 0]]
    assert play("kickoff_first_touch", quiet, both) == [[1, 1]]  # within one step: even


def test_without_a_kickoff_there_is_no_kickoffs_first_touch() -> None:
    assert play("kickoff_first_touch", *[scene(touches=[[1, 0]], kickoff=[False])] * 2) == [[0, 0]]


def test_possession_goes_by_the_last_toucher() -> None:
    assert [value("possession", scene(last_toucher=[i])) for i in (-1, 0, 1)] == [[0, 0], [1, 0], [0, 1]]
