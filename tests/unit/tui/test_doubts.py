"""What a change by hand is doubted for, against what is in force."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.commands import Command, Pause, SetEntropy, SetLearningRate, SetRewardWeight
from rltui.run_state.change_command import value_warning
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import run_story

HEADER = msgspec.structs.replace(  # learning rate 2e-4
    run_story.header(),
    reward_weights={"touch": 1.0, "concede": -10.0, "turned": 1.0},
    by_hand={"reward turned": -1.0},
)
SNAPSHOT = RunSnapshot(header=HEADER, metrics={"weight/eased": -0.5})
STABLE = "so high that learning rarely stays stable"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (SetLearningRate(1.0), f"5,000 times the 0.0002 of now; {STABLE}"),
        (SetLearningRate(1.1e-3), STABLE),
        (SetLearningRate(0.0), "the policy will not change"),
        (SetEntropy(0.5), "so high that acting at random pays more"),
        (SetEntropy(0.0), "nothing is paid for trying other actions"),
        (SetRewardWeight("touch", -1.0), "its weight is 1 now: what was paid for is then punished"),
        (SetRewardWeight("concede", 10.0), "its weight is -10 now: what was punished is then paid for"),
        (SetRewardWeight("turned", 1.0), "its weight is -1 now"),
        (SetRewardWeight("eased", 1.0), "its weight is -0.5 now"),
    ],
)
def test_doubtful(command: Command, words: str) -> None:
    assert value_warning(command, SNAPSHOT).startswith(words)


@pytest.mark.parametrize(
    "command",
    [
        SetLearningRate(1e-3), SetLearningRate(None), SetEntropy(0.02), SetEntropy(None), SetRewardWeight("touch", 0.0),
        SetRewardWeight("touch", 50.0), SetRewardWeight("concede", -1.0), SetRewardWeight("unknown", -1.0), Pause(),
    ],
)  # fmt: skip
def test_not_doubtful(command: Command) -> None:
    assert value_warning(command, SNAPSHOT) == ""


def test_a_leap_is_doubtful_where_the_rate_alone_is_not() -> None:
    low = msgspec.structs.replace(HEADER, learning_rate=1e-5)
    assert value_warning(SetLearningRate(2e-4), RunSnapshot(header=low)) == "20 times the 1e-05 of now"
    assert value_warning(SetLearningRate(1e-4), RunSnapshot(header=low)) == ""


def test_the_rate_is_judged_by_the_phase_as_in_a_profile() -> None:
    late = RunSnapshot(header=msgspec.structs.replace(HEADER, phase=4))
    assert value_warning(SetLearningRate(2e-4), late).startswith("high for phase 4")
    assert value_warning(SetLearningRate(1.0), RunSnapshot()).startswith(STABLE), "also before the header is known"


def test_a_weight_by_hand_is_newer_than_the_one_that_the_last_iteration_told() -> None:
    told = RunSnapshot(header=HEADER, metrics={"weight/turned": 0.5})
    assert value_warning(SetRewardWeight("turned", 1.0), told).startswith("its weight is -1 now")


def test_from_a_rate_of_zero_nothing_is_a_leap() -> None:
    still = RunSnapshot(header=msgspec.structs.replace(HEADER, learning_rate=0.0))
    assert value_warning(SetLearningRate(2e-4), still) == ""
