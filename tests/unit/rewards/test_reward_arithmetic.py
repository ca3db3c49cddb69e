"""Rewards by hand: numbers that a reader can check in the head."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.registry import Component, build
from tests.fakes.reward_scenes import ALL, scene, value


def test_speed_toward_ball_never_costs() -> None:
    state = scene(
        ball_position=[[0, 0, 93]],
        position=[[[-1000, 0, 93], [0, 1000, 93]]],
        velocity=[[[1150, 700, 0], [0, 2300, 0]]],  # blue half speed at it, orange away from it
    )
    assert value("speed_toward_ball", state) == [0.5, 0.0]


def test_face_ball_is_the_cosine() -> None:
    state = scene(
        ball_position=[[0, 0, 17]],
        position=[[[-100, 0, 17], [0, 100, 17]]],
        forward=[[[1, 0, 0], [0, 1, 0]]],
    )
    assert value("face_ball", state) == [1.0, -1.0]


def test_velocity_ball_to_goal_at_full_speed() -> None:
    state = scene(ball_position=[[0, 0, 321.39]], ball_velocity=[[0, 6000, 0]])
    assert value("velocity_ball_to_goal", state) == [1.0, -1.0]
    assert value("velocity_ball_to_goal", state, clip=True) == [1.0, 0.0]


def test_velocity_ball_to_goal_aims_at_the_height_asked_for() -> None:
    state = scene(ball_position=[[0, 0, 0]], ball_velocity=[[0, 0, 6000]])
    assert value("velocity_ball_to_goal", state, target_z=0) == [0.0, 0.0]
    expected = 321.39 / np.hypot(6000, 321.39)
    assert value("velocity_ball_to_goal", state) == pytest.approx([expected, expected], rel=1e-6)


def test_strong_hit_pays_the_root_of_the_change_to_those_who_touched() -> None:
    reward = build("reward", Component("strong_hit"))
    reward.reset(scene(ball_velocity=[[0, 0, 0]]), ALL)
    hit = scene(ball_velocity=[[345, 460, 0]], touches=[[1, 0]])  # Δv = 575, a quarter of 2300
    assert reward.value(hit)[0].tolist() == pytest.approx([0.5, 0.0])
    assert reward.value(hit)[0].tolist() == [0.0, 0.0]  # nothing changed since
    reversed_ball = scene(ball_velocity=[[-3450, -4600, 0]], touches=[[2, 1]])
    assert reward.value(reversed_ball)[0].tolist() == [1.0, 1.0]


def test_strong_hit_needs_a_reset_first() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        value("strong_hit", scene())


def test_strong_hit_keeps_its_own_copy_of_the_ball() -> None:
    reward = build("reward", Component("strong_hit"))
    state = scene(ball_velocity=[[0, 0, 0]], touches=[[1, 1]])
    reward.reset(state, ALL)
    state.ball_velocity[:] = [2300, 0, 0]  # the simulator overwrites its arrays
    assert reward.value(state)[0].tolist() == [1.0, 1.0]
    state.ball_velocity[:] = [2300, 0, 575]
    assert reward.value(state)[0].tolist() == [0.5, 0.5]


def test_goal_and_concede_go_by_team() -> None:
    blue_scored, orange_scored = scene(goal=[1]), scene(goal=[-1])
    assert (value("goal", blue_scored), value("concede", blue_scored)) == ([1, 0], [0, 1])
    assert (value("goal", orange_scored), value("concede", orange_scored)) == ([0, 1], [1, 0])


def test_touch_is_one_however_many() -> None:
    assert value("touch", scene(touches=[[0, 7]])) == [0, 1]


def test_a_demolished_car_is_not_in_the_air(subtests: pytest.Subtests) -> None:
    for says_on_ground in (False, True):
        with subtests.test(says_on_ground=says_on_ground):
            state = scene(on_ground=[[False, says_on_ground]], demo_respawn_timer=[[0, 2.5]])
            assert value("in_air", state) == [1, 0]


def test_a_wrong_parameter_is_named(subtests: pytest.Subtests) -> None:
    for name, options, words in (
        ("strong_hit", {"full_hit_speed": 0}, "full_hit_speed must be in [1.0, 12000.0], found 0"),
        ("velocity_ball_to_goal", {"clip": "yes"}, "clip must be true or false, found 'yes'"),
        ("velocity_ball_to_goal", {"target_z": 5000}, "target_z must be in [0.0, 642.775]"),
        ("touch", {"scale": 2}, "unknown parameter 'scale'"),
    ):
        with subtests.test(name=name, options=options, words=words):
            with pytest.raises(RltuiError) as caught:
                build("reward", Component(name, options))
            assert words in caught.value.message
