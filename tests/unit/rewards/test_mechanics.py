"""Rewards for mechanics and landings, by hand. Blue does it, orange stands."""

from __future__ import annotations

from typing import Any

import pytest

from rltui.sim.state import GameState
from tests.fakes.reward_scenes import play, scene, value

UP = ((0, 0, 1), (0, 0, 1))
AIR: dict[str, Any] = {
    "on_ground": [[False, True]],
    "position": [[[0, 0, 1100], [3000, 0, 17]]],
    "ball_position": [[0, 0, 1000]],
    "up": [UP],
    "can_flip": [[False, False]],
    "previous_actions": [[[0] * 8, [0] * 8]],
}
SPENT = AIR | {"has_jumped": [[True, False]], "has_flipped": [[True, False]], "air_time_since_jump": [[0.5, 0]]}
ON_BALL = AIR | {"on_ground": [[True, True]]}


def test_a_flip_that_comes_back_from_the_ball_is_paid_once() -> None:
    spent, on_ball, left = scene(**SPENT), scene(**ON_BALL), scene(**AIR)
    assert play("flip_reset", spent, spent, left, left) == [[0, 0], [1, 0], [0, 0]]
    assert play("flip_reset", spent, on_ball, on_ball, left) == [[1, 0], [0, 0], [0, 0]]


def test_only_a_flip_that_was_gone_comes_back(subtests: pytest.Subtests) -> None:
    for before, pays in (
        ({"has_flipped": [[True, False]]}, 1),
        ({"has_double_jumped": [[True, False]]}, 1),
        ({"has_jumped": [[True, False]], "air_time_since_jump": [[1.25, 0]]}, 1),  # too late to flip
        ({"has_jumped": [[True, False]], "air_time_since_jump": [[1.2, 0]]}, 0),  # it had its flip
        ({}, 0),
    ):
        with subtests.test(before=before, pays=pays):
            assert play("flip_reset", scene(**AIR | before), scene(**AIR)) == [[pays, 0]]


def test_a_flip_that_the_world_gives_back_is_no_flip_reset(subtests: pytest.Subtests) -> None:
    for changes in (
        {"ball_position": [[0, 0, 700]]},  # far away: a bounce of the wheels off the world
        {"world_contact": [[True, False]]},
        {"has_jumped": [[True, False]], "air_time_since_jump": [[0, 0]]},  # landed and jumped again
        {"on_ground": [[True, True]], "ball_position": [[0, 0, 1200]]},  # on the world, the ball on the roof
        {"on_ground": [[True, True]], "ball_position": [[140, 0, 1090]]},  # on the world, the ball beside it
        {"demo_respawn_timer": [[1, 0]]},
    ):
        with subtests.test(changes=changes):
            assert play("flip_reset", scene(**SPENT), scene(**AIR | changes)) == [[0, 0]]


def flying(speed: float, **changes: Any) -> Any:
    return scene(**AIR | {"velocity": [[[speed, 0, 0], [0, 0, 0]]]} | changes)


FLIPPING = {"is_flipping": [[True, False]], "has_flipped": [[True, False]]}
DOWN = {"on_ground": [[True, True]]}
PRESSED = {"previous_actions": [[[0, 0, -1, 0, 0, 1, 0, 0], [0] * 8]]}


def test_a_wavedash_is_a_landing_in_a_flip_with_speed_gained() -> None:
    assert play("wavedash", flying(500), flying(900, **FLIPPING), flying(600, **DOWN)) == [[0, 0], [1, 0]]
    assert play("wavedash", flying(500), flying(900, **FLIPPING), flying(599, **DOWN)) == [[0, 0], [0, 0]]
    assert play("wavedash", flying(500), flying(900), flying(900, **DOWN)) == [[0, 0], [0, 0]]


def test_the_speed_before_the_flip_is_what_counts() -> None:
    first, second = flying(900, **FLIPPING), flying(950, **FLIPPING)
    assert play("wavedash", flying(500), first, second, flying(600, **DOWN))[-1] == [1, 0]


def test_how_much_must_be_gained_is_a_parameter() -> None:
    states = flying(500), flying(900, **FLIPPING), flying(700, **DOWN)
    assert play("wavedash", *states, gain=200)[-1] == [1, 0]
    assert play("wavedash", *states, gain=201)[-1] == [0, 0]


def test_a_wavedash_within_one_step_is_told_by_the_press() -> None:
    ready = flying(500, can_flip=[[True, False]])
    assert play("wavedash", ready, flying(800, **DOWN | PRESSED)) == [[1, 0]]
    assert play("wavedash", ready, flying(800, **DOWN)) == [[0, 0]]
    assert play("wavedash", flying(500), flying(800, **DOWN | PRESSED)) == [[0, 0]]  # it had no flip
    landed_and_jumped = flying(800, **DOWN | PRESSED | {"has_jumped": [[True, False]]})
    assert play("wavedash", ready, landed_and_jumped) == [[0, 0]]


def test_the_fall_after_a_respawn_is_no_wavedash() -> None:
    gone = flying(0, **FLIPPING, demo_respawn_timer=[[1, 0]])
    assert play("wavedash", flying(0), gone, flying(150, **DOWN)) == [[0, 0], [0, 0]]


def test_a_dribble_is_a_ball_above_the_roof(subtests: pytest.Subtests) -> None:
    for ball, pays in (
        ((0, 0, 150), 1),  # at rest on the roof
        ((60, 0, 149), 1),
        ((0, 0, 600), 1),  # high above it
        ((0, 149, 150), 1),
        ((0, 151, 150), 0),
        ((0, 140, 93.15), 0),  # on the floor beside it
    ):
        with subtests.test(ball=ball, pays=pays):
            carrying = {"position": [[[0, 0, 17], [3000, 0, 17]]], "ball_position": [ball]}
            assert value("dribble", scene(**carrying)) == [pays, 0]
            assert value("dribble", scene(**carrying, on_ground=[[False, True]])) == [0, 0]
            assert value("dribble", scene(**carrying, demo_respawn_timer=[[1, 0]])) == [0, 0]


FLOOR, NONE = (0, 0, 1), (0, 0, 0)


def blue(
    up: tuple[float, float, float], wheels: int, normal: tuple[float, float, float] = NONE, **more: Any
) -> GameState:
    fields = {
        "up": [[up, (0, 0, 1)]],
        "on_ground": [[wheels >= 3, True]],
        "world_contact": [[normal != NONE, False]],
    }
    return scene([[wheels, 4]], [[normal, NONE]], **fields | more)


DRIVING = blue((0, 0, 1), 4)
LEVEL = blue((0, 0, 1), 0)  # in the air
TILTED = blue((0.8, 0, 0.6), 0)
OVER = blue((0, 0, -1), 0)
ON_ROOF = blue((0, 0, -1), 0, FLOOR)
ON_SIDE = blue((1, 0, 0), 0, FLOOR)


def blues(*states: GameState) -> list[float]:
    values = play("recovery_and_landing", *states)
    assert all(orange == 0 for _, orange in values)
    return [car for car, _ in values]


def test_driving_earns_nothing() -> None:
    assert blues(DRIVING, DRIVING, DRIVING) == [0, 0]


def test_in_the_air_uprightness_and_its_gain_are_paid() -> None:
    assert blues(OVER, TILTED, LEVEL, OVER) == pytest.approx([0.3 * 0.6 + 0.2 * 1.6, 0.3 + 0.2 * 0.4, -0.3])


def test_a_landing_on_the_wheels_is_upright_on_any_surface() -> None:
    on_wall = blue((1, 0, 0), 4)
    assert blues(DRIVING, LEVEL, DRIVING, DRIVING) == pytest.approx([0.3, 1.2, 0])
    assert blues(DRIVING, LEVEL, on_wall, on_wall) == pytest.approx([0.3, 1.2, 0])


def test_two_wheels_first_is_one_landing() -> None:
    two_wheels = blue((0, 0, 1), 2)
    assert blues(DRIVING, LEVEL, two_wheels, DRIVING) == pytest.approx([0.3, 0, 1.2])


def test_a_wheel_that_lifts_is_no_flight() -> None:
    assert blues(DRIVING, blue((0, 0, 1), 2), DRIVING, blue((0, 0, 1), 1), DRIVING) == [0, 0, 0, 0]


def test_a_landing_on_the_roof_or_the_side_costs_by_how_far_it_is_off() -> None:
    assert blues(DRIVING, LEVEL, ON_ROOF)[-1] == pytest.approx(-1.0)
    assert blues(DRIVING, LEVEL, ON_SIDE)[-1] == pytest.approx(-0.5)


def test_a_body_that_touches_flat_is_a_good_landing() -> None:
    assert blues(DRIVING, LEVEL, blue((0, 0, 1), 0, FLOOR))[-1] == pytest.approx(1.2)


def test_uprightness_on_a_wall_is_against_the_wall() -> None:
    assert blues(DRIVING, LEVEL, blue((1, 0, 0), 2, (1, 0, 0)))[-1] == pytest.approx(1.2)


def test_lying_on_the_roof_costs_until_the_wheels_are_down_again() -> None:
    assert blues(DRIVING, LEVEL, ON_ROOF, ON_ROOF, OVER, DRIVING) == pytest.approx([0.3, -1.0, -0.3, -0.3, 1.2])
    assert blues(DRIVING, LEVEL, ON_ROOF, DRIVING)[-1] == pytest.approx(1.2)
    assert blues(DRIVING, LEVEL, ON_SIDE, ON_SIDE, DRIVING)[2:] == pytest.approx([0, 1.2])


def test_an_episode_that_starts_on_the_roof_has_no_landing_on_it() -> None:
    """The simulator knows of contacts only after the first tick."""
    assert blues(OVER, ON_ROOF, ON_ROOF, DRIVING) == pytest.approx([-0.3, -0.3, 1.2])


def test_touching_a_wall_while_driving_is_no_landing() -> None:
    assert blues(DRIVING, blue((0, 0, 1), 4, (1, 0, 0)), DRIVING) == [0, 0]


def test_a_demolished_car_gives_nothing_nor_does_its_respawn() -> None:
    gone = blue((0, 0, -1), 0, demo_respawn_timer=[[2, 0]])
    assert blues(DRIVING, LEVEL, gone, gone, LEVEL, LEVEL, DRIVING) == pytest.approx([0.3, 0, 0, 0, 0, 0])
    assert blues(gone, LEVEL, DRIVING, LEVEL, DRIVING) == pytest.approx([0, 0, 0.3, 1.2])


def test_bad_orientation_costs_by_how_far_over_a_lying_car_is(subtests: pytest.Subtests) -> None:
    for up_z, wheels, touching, cost in (
        (0.8, 0, True, 0),
        (0.7, 0, True, -0.1),
        (-0.1, 2, True, -0.3),
        (-0.1, 3, True, 0),
        (-0.1, 0, False, 0),
    ):
        with subtests.test(up_z=up_z, wheels=wheels, touching=touching, cost=cost):
            state = blue((0, 0, up_z), wheels, FLOOR if touching else NONE)
            assert value("bad_orientation", state) == pytest.approx([cost, 0])


def test_a_demolished_car_does_not_lie() -> None:
    assert value("bad_orientation", blue((0, 0, -1), 0, FLOOR, demo_respawn_timer=[[2, 0]])) == [0, 0]
