"""Rewards by hand: numbers that a reader can check in the head."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, Component, build
from tests.fakes.reward_scenes import ALL, play, scene, value


def test_every_reward_is_in_one_of_the_files_of_cases_by_hand() -> None:
    text = "".join(Path(__file__).with_name(f"test_{name}.py").read_text() for name in ("rewards_by_hand", "mechanics"))
    assert [name for name in BUILT_IN["reward"] if f'"{name}"' not in text] == []


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
            assert (value("in_air", state), value("off_ground", state)) == ([1, 0], [-1, 0])


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
