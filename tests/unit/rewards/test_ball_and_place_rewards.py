"""Rewards of where ball and cars are and how they move, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.fakes.reward_scenes import scene, value

GONE = [[0, 2.5]]  # orange is demolished


def test_velocity_player_to_ball_is_speed_toward_ball_with_its_sign() -> None:
    state = scene(
        ball_position=[[0, 0, 93]],
        position=[[[-1000, 0, 93], [0, 1000, 93]]],
        velocity=[[[1150, 700, 0], [0, 2300, 0]]],  # blue half speed at it, orange away from it
    )
    assert value("velocity_player_to_ball", state) == [0.5, -1.0]
    assert value("speed_toward_ball", state) == [0.5, 0.0]


def test_basic_shot_is_the_last_touchers() -> None:
    shot = {"ball_position": [[0, 0, 321.39]], "ball_velocity": [[0, 6000, 0]]}
    assert value("basic_shot", scene(last_toucher=[0], **shot)) == [1, 0]
    assert value("basic_shot", scene(last_toucher=[1], **shot)) == [0, -1]
    assert value("basic_shot", scene(last_toucher=[1], **shot), clip=True) == [0, 0]
    assert value("basic_shot", scene(last_toucher=[-1], **shot)) == [0, 0]


def test_a_ball_at_the_own_goal_costs_and_one_that_leaves_it_clears() -> None:
    state = scene(ball_position=[[0, -3000, 321.39]], ball_velocity=[[0, -3000, 0]])  # at blue's net
    assert value("negative_velocity_own_goal", state) == [-0.5, 0]
    assert value("clear", state) == [0, 0.5]


def test_own_goal_terms_aim_at_the_height_asked_for() -> None:
    state = scene(ball_position=[[0, 0, 0]], ball_velocity=[[0, 0, 6000]])
    assert value("negative_velocity_own_goal", state, target_z=0) == [0, 0]
    assert value("clear", state, target_z=0) == [0, 0]
    share = 321.39 / math.hypot(6000, 321.39)
    assert value("negative_velocity_own_goal", state) == pytest.approx([-share, -share])


def test_liu_distance_to_goal_is_one_on_the_goal_line() -> None:
    on_line = scene(ball_position=[[0, 6000 - 971.25, 321.39]])
    assert value("liu_distance_ball_to_goal", on_line)[0] == pytest.approx(1.0)
    centre = scene(ball_position=[[0, 0, 321.39]])
    assert value("liu_distance_ball_to_goal", centre) == pytest.approx([math.exp(-0.5 * 5028.75 / 6000)] * 2)
    in_the_net = scene(ball_position=[[0, 6000, 0]])
    assert value("liu_distance_ball_to_goal", in_the_net, target_z=0)[0] == pytest.approx(math.exp(0.5 * 971.25 / 6000))


def test_liu_distance_to_ball_is_one_at_its_surface() -> None:
    state = scene(ball_position=[[0, 0, 100]], position=[[[91.25, 0, 100], [0, 2391.25, 100]]])
    assert value("liu_distance_player_to_ball", state) == pytest.approx([1.0, math.exp(-0.5)])


def test_align_is_best_behind_the_ball_and_worst_before_it() -> None:
    line = {"ball_position": [[0, 0, 321.39]], "position": [[[0, -1000, 321.39], [0, -500, 321.39]]]}
    assert value("align_ball_goal", scene(**line)) == pytest.approx([1.0, -1.0])
    beside = scene(ball_position=[[6000, 0, 0]], position=[[[0, 0, 0], [6000, 0, 0]]])
    assert value("align_ball_goal", beside, target_z=0) == [0, 0]  # at a right angle; in the ball


def test_offside_is_beyond_the_ball_in_ones_own_view() -> None:
    state = scene(ball_position=[[0, 100, 93]], position=[[[0, 101, 17], [0, 99, 17]]])
    assert value("offside", state) == [-1, -1]
    level = scene(ball_position=[[0, 100, 93]], position=[[[0, 100, 17], [0, 101, 17]]])
    assert value("offside", level) == [0, 0]


def test_in_net_is_behind_either_goal_line(subtests: pytest.Subtests) -> None:
    for y, cost in ((5119, 0), (5121, -1), (-5119, 0), (-5121, -1)):
        with subtests.test(y=y, cost=cost):
            assert value("in_net", scene(position=[[[0, y, 17], [0, 0, 17]]])) == [cost, 0]


def test_save_boost_is_the_root() -> None:
    assert value("save_boost", scene(boost=[[25, 100]])) == [0.5, 1]
    assert value("save_boost", scene(boost=[[0, 0]])) == [0, 0]


def test_collect_boost_pays_by_what_was_gained() -> None:
    full = scene(pad_picked=[[0, 3]], boost_gained=[[12, 100]])
    assert value("collect_boost", full) == pytest.approx([1.0, 0.3])
    half = scene(pad_picked=[[0, 3]], boost_gained=[[6, 50]])
    assert value("collect_boost", half) == pytest.approx([0.5, 0.15])
    assert value("collect_boost", half, small=0.2, big=2.0) == pytest.approx([0.1, 1.0])
    assert value("collect_boost", scene(pad_picked=[[0, -1]], boost_gained=[[0, 50]])) == [0, 0]  # full; none taken


def test_steal_boost_is_a_big_pad_of_the_other_half(subtests: pytest.Subtests) -> None:
    for pad, blue, orange in ((29, 1, 0), (30, 1, 0), (3, 0, 1), (4, 0, 1), (15, 0, 0), (18, 0, 0), (33, 0, 0)):
        with subtests.test(pad=pad, blue=blue, orange=orange):
            assert value("steal_boost", scene(pad_picked=[[pad, pad]])) == [blue, orange]


def test_a_demolished_car_earns_nothing_by_where_it_was_left() -> None:
    left = {
        "demo_respawn_timer": GONE,
        "position": [[[0, 0, 17], [0, -5500, 17]]],
        "ball_position": [[0, 0, 93]],
        "boost": [[100, 100]],
        "forward": [[[0, 0, 1], [0, 1, 0]]],
    }
    for name in ("face_ball", "liu_distance_player_to_ball", "align_ball_goal", "offside", "in_net", "save_boost"):
        assert value(name, scene(**left))[1] == 0
        assert value(name, scene(**left | {"demo_respawn_timer": [[0, 0]]}))[1] != 0


def test_the_teams_terms_go_on_while_a_car_is_demolished() -> None:
    state = scene(demo_respawn_timer=GONE, ball_position=[[0, 0, 93]], ball_velocity=[[0, -600, 0]], last_toucher=[1])
    for name in ("velocity_ball_to_goal", "clear", "liu_distance_ball_to_goal", "possession"):
        assert value(name, state)[1] > 0
    assert np.sign(value("basic_shot", state)).tolist() == [0, 1]
