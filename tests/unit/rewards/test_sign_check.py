"""A penalty that pays, or a reward that costs, is a warning."""

from __future__ import annotations

import pytest

from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.reward import Reward
from rltui.rewards.sign_check import sign_warnings
from rltui.sim.state import Float, GameState


class NegativePenalty(Reward):
    """Like a penalty of the community whose value is already negative."""

    category = "penalties"
    sign = -1

    def value(self, state: GameState) -> Float:
        raise NotImplementedError


class PositivePenalty(NegativePenalty):
    sign = 1


def built_in(name: str, weight: float) -> tuple[str, Reward, float]:
    return name, build("reward", Component(name)), weight


def test_a_negative_penalty_given_a_negative_weight_rewards_it() -> None:
    warning = "own is a penalty, but its value is never positive and with weight -4 it pays: should the weight be 4?"
    assert sign_warnings([("own", NegativePenalty(Reward.Params()), -4.0)]) == [warning]
    assert sign_warnings([("own", NegativePenalty(Reward.Params()), 4.0)]) == []


def test_a_positive_penalty_wants_a_negative_weight() -> None:
    assert sign_warnings([("own", PositivePenalty(Reward.Params()), -1.0)]) == []
    assert len(sign_warnings([("own", PositivePenalty(Reward.Params()), 1.0)])) == 1


def test_concede_with_a_positive_weight_rewards_own_goals() -> None:
    warning = (
        "concede is a penalty, but its value is never negative and with weight 10 it pays: should the weight be -10?"
    )
    assert sign_warnings([built_in("goal", 10), built_in("concede", 10)]) == [warning]


def test_a_reward_with_a_negative_weight_costs() -> None:
    warning = "touch is a reward, but its value is never negative and with weight -1 it costs: should the weight be 1?"
    assert sign_warnings([built_in("touch", -1)]) == [warning]


@pytest.mark.parametrize("weight", [-1.0, 0.0, 1.0])
def test_values_of_both_signs_decide_nothing(weight: float) -> None:
    assert sign_warnings([built_in("face_ball", weight), built_in("velocity_ball_to_goal", weight)]) == []


def test_weight_zero_is_no_matter() -> None:
    assert sign_warnings([built_in("concede", 0.0), built_in("touch", 0.0)]) == []


def test_the_weights_of_the_phases_pass() -> None:
    names = dict.fromkeys(BUILT_IN["reward"], 1.0) | {"concede": -10.0}
    assert sign_warnings(built_in(name, weight) for name, weight in names.items()) == []
