"""`recovery_and_landing` and `bad_orientation`, by hand. Blue does it, orange stands."""

from __future__ import annotations

from typing import Any

import pytest

from rltui.sim.state import GameState
from tests.fakes.reward_scenes import play, scene, value

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
