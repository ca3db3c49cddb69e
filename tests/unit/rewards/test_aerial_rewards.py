"""Rewards of being in the air, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.reward_scenes import play, scene, value

UP = {"on_ground": [[False, True]], "ball_position": [[0, 0, 1022]]}  # blue is in the air
HIT: dict[str, Any] = UP | {"touches": [[1, 1]], "touch_height": [[1022, 1022]]}
JUMPED = {"has_jumped": [[True, True]], "air_time_since_jump": [[0.5, 0]]}


def test_jump_shot_pays_the_height_of_the_ball_when_it_was_touched() -> None:
    high_now = HIT | JUMPED | {"ball_position": [[0, 0, 1500]]}
    assert play("jump_shot", scene(), scene(**high_now)) == [[0.5, 0]]


def test_jump_shot_needs_a_jump_within_six_seconds() -> None:
    jump = scene(**UP, **JUMPED, tick=[60])  # ended at 0 s
    assert play("jump_shot", scene(), scene(**HIT)) == [[0, 0]]
    assert play("jump_shot", jump, scene(**HIT, tick=[720])) == [[0.5, 0]]
    assert play("jump_shot", jump, scene(**HIT, tick=[721])) == [[0, 0]]


def test_a_flip_reset_does_not_end_the_time_of_a_jump() -> None:
    jump, reset = scene(**UP, **JUMPED, tick=[60]), scene(**UP, tick=[120])
    assert play("jump_shot", jump, reset, scene(**HIT, tick=[240]))[-1] == [0.5, 0]


def test_jump_shot_forgets_the_jump_of_another_episode() -> None:
    assert play("jump_shot", scene(tick=[0]), scene(**HIT, tick=[8])) == [[0, 0]]


def test_air_touch_pays_the_balls_height_whether_jumped_or_not() -> None:
    assert value("air_touch", scene(**HIT)) == [0.5, 0]
    assert value("air_touch", scene(**UP, touches=[[0, 0]])) == [0, 0]
    assert value("air_touch", scene(**HIT, demo_respawn_timer=[[1, 0]])) == [0, 0]


STILL: dict[str, Any] = UP | {
    "position": [[[0, 0, 522], [0, 0, 17]]],
    "velocity": [[[0, 0, 0], [0, 0, 0]]],
    "forward": [[[1, 0, 0], [1, 0, 0]]],
    "boost": [[50, 50]],
    "is_boosting": [[False, False]],
}


def test_the_parts_of_a_basic_aerial(subtests: pytest.Subtests) -> None:
    for changes, expected in (
        ({}, 0.0),
        ({"forward": [[[0.8, 0, 0.6], [1, 0, 0]]]}, 0.2),
        ({"is_boosting": [[True, True]]}, 0.0),  # it does not rise
        ({"is_boosting": [[True, True]], "velocity": [[[600, 0, 100], [0, 0, 0]]]}, 0.3),
        ({"is_boosting": [[True, True]], "velocity": [[[600, 0, 100], [0, 0, 0]]], "boost": [[0, 0]]}, 0.0),
        ({"velocity": [[[0, 0, 300], [0, 0, 0]]]}, 0.3),  # at the ball
        ({"velocity": [[[300, 0, 300], [0, 0, 0]]]}, 0.0),  # 45° beside it
        ({"position": [[[0, 0, 521], [0, 0, 17]]], "velocity": [[[0, 0, 300], [0, 0, 0]]]}, 0.0),  # 501 uu away
        ({"on_ground": [[True, True]], "velocity": [[[0, 0, 300], [0, 0, 0]]]}, 0.0),
    ):
        with subtests.test(changes=changes, expected=expected):
            state = scene(**STILL | changes)
            assert play("basic_aerial", state, state) == [pytest.approx([expected, 0])]


def test_basic_aerial_grows_with_the_time_in_the_air() -> None:
    states = [scene(**STILL, tick=[tick]) for tick in (360, 720, 1440)]
    values = play("basic_aerial", scene(tick=[0]), scene(tick=[0]), *states)
    assert [blue for blue, _ in values] == pytest.approx([0, 0.1, 0.2, 0.2])


def test_basic_aerial_counts_from_the_episodes_start_at_most() -> None:
    assert play("basic_aerial", scene(**STILL, tick=[0]), scene(**STILL, tick=[360])) == [pytest.approx([0.1, 0])]


def test_an_aerial_with_all_its_parts_is_worth_one() -> None:
    parts = STILL | {"forward": [[[0, 0, 1], [1, 0, 0]]], "is_boosting": [[True, False]]}
    perfect = scene(**parts | {"velocity": [[[0, 0, 900], [0, 0, 0]]]}, tick=[7200])
    assert play("basic_aerial", scene(), perfect) == [pytest.approx([1.0, 0])]
