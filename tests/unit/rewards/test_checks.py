"""A penalty that pays, or a reward that costs, is a warning; so is a reward that lies about its sign, or fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.base import Reward
from rltui.rewards.checks import Weighed, sign_warnings
from rltui.sim.state import GameState


def made(name: str, category: str, sign: int, value: Any, **attributes: Any) -> Reward:
    """A user's reward."""
    names = {"category": category, "sign": sign, "value": lambda self, state: value(state), "__module__": __name__}
    return type(name, (Reward,), names | attributes)(Reward.Params())


def height(state: GameState) -> Any:
    """Never negative."""
    return np.repeat(state.ball_position[:, 2:], state.cars, axis=1)


def upward(state: GameState) -> Any:
    """Of both signs, none of them more often."""
    return state.velocity[..., 2]


def warnings(reward: Reward | str, *weights: float, factor: float = 1.0) -> list[str]:
    """Of one component; several weights are points of a schedule, a million timesteps apart."""
    name = reward if isinstance(reward, str) else type(reward).__name__
    instance = build("reward", Component(reward)) if isinstance(reward, str) else reward
    points = tuple((1_000_000 * index, weight) for index, weight in enumerate(weights))
    return sign_warnings([Weighed(name, instance, points, factor)], (2, 1))


def test_a_negative_penalty_given_a_negative_weight_rewards_it() -> None:
    """The community's own goal penalty, given a negative weight."""
    own_goal = made("OwnGoal", "goal", -1, lambda state: -height(state))
    (warning,) = warnings(own_goal, -4.0)
    assert warning == (
        "OwnGoal is a penalty, but its value on random states is never positive and with weight -4 it pays: "
        "should the weight be 4?"
    )
    assert warnings(own_goal, 4.0) == []


def test_a_positive_penalty_wants_a_negative_weight() -> None:
    for reward in (
        made("High", "penalties", 1, height),
        made("High", "ball", 1, height, penalty=True),
        made("HighBallPenalty", "ball", 0, height),
        made("PunishHigh", "ball", 0, height),
    ):
        assert warnings(reward, -1.0) == []
        assert "is a penalty" in warnings(reward, 1.0)[0]


def test_concede_with_a_positive_weight_rewards_own_goals() -> None:
    assert warnings("concede", 10.0) == [
        "concede is a penalty, but its value is never negative and with weight 10 it pays: should the weight be -10?"
    ]


def test_a_reward_with_a_negative_weight_costs() -> None:
    assert warnings("touch", -1.0) == [
        "touch is a reward, but its value is never negative and with weight -1 it costs: should the weight be 1?"
    ]


def test_every_point_of_a_schedule_counts() -> None:
    assert warnings("touch", 1.0, 0.0) == []
    (warning,) = warnings("touch", 1.0, 0.5, -0.5)
    assert "with weight -0.5 at 2,000,000 timesteps it costs" in warning


def test_values_of_both_signs_decide_nothing(subtests: pytest.Subtests) -> None:
    for weight in (-1.0, 0.0, 1.0):
        with subtests.test(weight=weight):
            for reward in ("face_ball", "velocity_ball_to_goal", made("Upward", "aerial", 0, upward)):
                assert warnings(reward, weight) == []


def test_an_undeclared_sign_is_seen_on_random_states() -> None:
    """velocity_ball_to_goal may be of both signs, but not when it is clipped."""
    clipped = build("reward", Component("velocity_ball_to_goal", {"clip": True}))
    assert warnings(clipped, 1.0) == []
    assert "its value on random states is never negative" in warnings(clipped, -1.0)[0]
    assert "HighBall is a reward" in warnings(made("HighBall", "ball", 0, height), -1.0)[0]


def test_a_penalty_of_both_signs_is_taken_at_its_mean() -> None:
    mostly = made("Mostly", "penalties", 0, lambda state: height(state) - 200)
    assert "on average and with weight 2 it pays" in warnings(mostly, 2.0)[0]
    assert warnings(mostly, -2.0) == []
    even = made("Even", "penalties", 0, upward)
    assert warnings(even, 1.0) == warnings(even, -1.0) == []


def test_a_declaration_that_lies() -> None:
    for sign in (-1, 1):
        (warning,) = warnings(made("Upward", "aerial", sign, upward), 1.0)
        assert f"Upward declares sign = {sign}, but its values on random states are -" in warning


def test_a_reward_that_fails_is_said_with_its_line() -> None:
    def divide(state: GameState) -> Any:
        return 1 / 0

    (warning,) = warnings(made("Divide", "ball", 1, divide), 1.0)
    assert warning.startswith("Divide was tried on random states and failed: ZeroDivisionError: division by zero (")
    assert f"{__file__}:{divide.__code__.co_firstlineno + 1})" in warning


def test_other_failures(subtests: pytest.Subtests) -> None:
    for value, words in (
        (lambda state: np.full((state.arenas, state.cars), np.nan), "values are not finite"),
        (lambda state: state.boost * 1e38, "values are not finite"),
        (lambda state: state.boost[0], "value() must give an array [arenas, cars]"),
        (lambda state: 1.0, "value() must give an array [arenas, cars]"),
        (lambda state: np.full((state.arenas, state.cars), "x"), "value() must give numbers"),
        (lambda state: state.contacts.wheels, "state.contacts is not read here; write `contacts = True`"),
    ):
        with subtests.test(value=value, words=words):
            (warning,) = warnings(made("Mine", "ball", 0, value), 1.0)
            assert warning.startswith("Mine was tried on random states and failed: ") and words in warning


def test_contacts_are_there_for_those_that_declare_them() -> None:
    reward = made("Wheels", "ball", 1, lambda state: state.contacts.wheels, contacts=True)
    assert warnings(reward, 1.0) == []


def test_a_weight_or_a_category_of_zero_is_no_matter() -> None:
    assert warnings("concede", 0.0) == warnings("touch", 0.0) == warnings("touch", -1.0, factor=0.0) == []


def test_a_category_turned_round_turns_its_rewards() -> None:
    assert warnings("touch", -1.0, factor=-1.0) == []
    assert warnings("touch", 1.0, factor=-1.0) != []


def test_every_registered_reward_passes_with_the_weight_that_it_wants(subtests: pytest.Subtests) -> None:
    for teams in ((1, 0), (1, 1), (3, 3), (0, 2)):
        with subtests.test(teams=teams):
            rewards = {name: build("reward", Component(name)) for name in BUILT_IN["reward"]}
            weighed = [
                Weighed(name, reward, ((0, -1.0 if reward.penalty and reward.sign > 0 else 1.0),))
                for name, reward in rewards.items()
            ]
            assert sign_warnings(weighed, teams) == []


def test_a_reward_that_changes_the_game_is_said() -> None:
    """What it wrote, all other rewards and the observation would see."""

    def ground(state: GameState) -> Any:
        state.ball_position[:, 2] = 0
        return height(state)

    (warning,) = warnings(made("Ground", "ball", 1, ground), 1.0)
    assert "ValueError: assignment destination is read-only (" in warning


def test_a_reward_that_leaves_the_program_is_said() -> None:
    def leave(state: GameState) -> Any:
        raise SystemExit("bye")

    (warning,) = warnings(made("Leave", "ball", 1, leave), 1.0)
    assert "failed: SystemExit: bye (" in warning
