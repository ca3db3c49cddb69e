"""A change typed to the training: commands, errors that say what would do, completions, value warnings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
import pytest

from rltui.events.commands import Command, Pause, SetEntropy, SetFlag, SetLearningRate, SetRender, SetRewardWeight
from rltui.run_state.change_command import (
    EXAMPLES,
    ChangeError,
    begun,
    completed,
    completions,
    parse,
    setting_of,
    value_now,
    value_warning,
    values_words,
)
from rltui.run_state.snapshot import RunSnapshot
from tests.fakes import run_story

REWARDS = ("touch", "speed_toward_ball")
HEADER = msgspec.structs.replace(  # learning rate 2e-4
    run_story.header(),
    reward_weights={"touch": 1.0, "concede": -10.0, "turned": 1.0},
    by_hand={"reward turned": -1.0},
)
SNAPSHOT = RunSnapshot(header=HEADER, metrics={"weight/eased": -0.5})
STABLE = "rarely stable"


def test_commands(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, Command]] = [
        ("lr 1e-4", SetLearningRate(1e-4)),
        ("  learning_rate   0.001 ", SetLearningRate(1e-3)),
        ("lr profile", SetLearningRate(None)),
        ("entropy 0.005", SetEntropy(0.005)),
        ("ent_coef profile", SetEntropy(None)),
        ("reward touch -2", SetRewardWeight("touch", -2.0)),
        ("reward mechanics/goal profile", SetRewardWeight("mechanics/goal", None)),
        ("flag debug_actions on", SetFlag("debug_actions", True)),
        ("flag debug_turtled_start off 1", SetFlag("debug_turtled_start", False, 1)),
        ("render on", SetRender(True)),
        ("render off", SetRender(False)),
        ("render rocketsimvis off", SetRender(False, "rocketsimvis")),
        ("render recording on", SetRender(True, "recording")),
    ]
    for text, command in cases:
        with subtests.test(text=text):
            assert parse(text, REWARDS) == command


def test_errors_say_what_would_do(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", "type what to change"),
        ("entrpy 1", 'did you mean "entropy"?'),
        ("xyz", "there are lr"),
        ("lr", "one number: lr 1e-4"),
        ("lr fast", "+10%, or the word profile, found 'fast'"),
        ("lr nan", "finite"),
        ("reward touch", "reward touch 2"),
        ("reward tuch 2", 'did you mean "touch"?'),
        ("flag debug_action on", 'did you mean "debug_actions"?'),
        ("flag debug_actions maybe", "on or off, found 'maybe'"),
        ("flag debug_actions on one", "a worker is a number from 0, found 'one'"),
        ("flag debug_actions", "flag debug_actions on 1"),
        ("render", "render on, render recording on"),
        ("render rocketsimvs on", 'did you mean "rocketsimvis"?'),
        ("render recording", "on or off, found 'recording'"),
        ("render recording on 1", "render recording on"),
    ]
    for text, words in cases:
        with subtests.test(text=text, words=words):
            with pytest.raises(ChangeError) as caught:
                parse(text, REWARDS)
            assert words in str(caught.value)


def test_the_examples_are_commands() -> None:
    for example, _ in EXAMPLES:
        parse(example, REWARDS, lambda setting: 1.0)


def test_every_number_may_be_told_by_the_value_of_now(subtests: pytest.Subtests) -> None:
    numbers: list[tuple[str, Callable[[float], Command]]] = [
        ("lr", SetLearningRate),
        ("entropy", SetEntropy),
        ("reward touch", lambda value: SetRewardWeight("touch", value)),
        ("reward turned", lambda value: SetRewardWeight("turned", value)),
        ("reward eased", lambda value: SetRewardWeight("eased", value)),
    ]
    now = partial(value_now, SNAPSHOT)
    for typed, made in numbers:
        setting = setting_of(made(1.0))
        value = now(setting)
        assert value is not None
        for change, factor in (("*0.5", 0.5), ("/2", 0.5), ("+10%", 1.1), ("-10%", 0.9), ("+1e2%", 2.0), ("*-1", -1.0)):
            for text in (f"{typed} {change}", f"{typed} {value:g}{change}"):
                with subtests.test(text=text):
                    found = parse(text, (), now)
                    assert type(found) is type(made(1.0)) and found == made(float(f"{value * factor:.6g}"))
        assert parse(f"{typed} 3e-1*.5", (), now) == made(0.15)
        assert begun(SNAPSHOT, setting) == f"{typed} {value:g}"
        for wrong in ("*", "/0", "10%", "+10", "2*3*4", "*x"):
            with subtests.test(wrong=f"{typed} {wrong}"):
                if wrong == "+10":
                    assert parse(f"{typed} +10", (), now) == made(10.0), "a sign is no step"
                else:
                    with pytest.raises(ChangeError):
                        parse(f"{typed} {wrong}", (), now)
        with pytest.raises(ChangeError, match="not known"):
            parse(f"{typed} *0.5")


def test_the_value_of_now_and_the_profile_s_are_told() -> None:
    rated = msgspec.structs.replace(HEADER, ppo={"learning_rate": 3e-4, "ent_coef": 0.02}, by_hand={"entropy": 0.005})
    snapshot = RunSnapshot(header=rated, metrics={"train/learning_rate": 1.5e-4, "weight/eased": -0.5})
    assert values_words(snapshot, "learning rate") == "now 0.00015, profile 0.0003", "by a schedule"
    assert values_words(snapshot, "entropy") == "now 0.005, profile 0.02"
    assert values_words(SNAPSHOT, "reward turned") == "now -1, profile 1"
    assert values_words(snapshot, "reward eased") == "now -0.5"
    assert values_words(RunSnapshot(), "entropy") == ""


def test_what_may_follow(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str]]] = [
        ("", ["lr", "entropy", "reward", "flag", "render"]),
        ("e", ["entropy"]),
        ("lr ", ["profile"]),
        ("lr 1", []),
        ("lr 1e-4 ", []),
        ("reward ", ["touch", "speed_toward_ball"]),
        ("reward t", ["touch"]),
        ("reward touch ", ["profile"]),
        ("flag debug_t", ["debug_turtled_start"]),
        ("flag debug_actions ", ["on", "off"]),
        ("flag debug_actions on ", ["0", "1", "2"]),
        ("flag debug_learning on ", []),  # the trainer's own
        ("render ", ["on", "off", "rocketsimvis", "rlviser", "recording"]),
        ("render r", ["rocketsimvis", "rlviser", "recording"]),
        ("render recording ", ["on", "off"]),
        ("render on ", []),
        ("nonsense ", []),
    ]
    for text, choices in cases:
        with subtests.test(text=text):
            assert completions(text, REWARDS, workers=3) == choices


def test_a_word_is_completed_as_far_as_all_agree(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", ""),
        ("e", "entropy "),
        ("flag d", "flag debug_"),
        ("flag debug_t", "flag debug_turtled_start "),
        ("reward sp", "reward speed_toward_ball "),
        ("render ro", "render rocketsimvis "),
        ("lr 1e", "lr 1e"),
    ]
    for text, longer in cases:
        with subtests.test(text=text, longer=longer):
            assert completed(text, completions(text, REWARDS, workers=3)) == longer


def test_what_is_offered_is_understood() -> None:
    """Every line that completion leads to means something, once a number stands where one is due."""
    for verb in completions(""):
        for second in completions(f"{verb} ", REWARDS, 2):
            line = f"{verb} {second}"
            while more := completions(f"{line} ", REWARDS, 2):
                line = f"{line} {more[-1]}"
            parse(line, REWARDS)


def test_doubtful(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Command, str]] = [
        (SetLearningRate(1.0), f"5,000 times the 0.0002 of now; {STABLE}"),
        (SetLearningRate(1.1e-3), STABLE),
        (SetLearningRate(0.0), "the policy will not change"),
        (SetEntropy(0.5), "acting at random pays more"),
        (SetEntropy(0.0), "nothing pays for exploring"),
        (SetRewardWeight("touch", -1.0), "its weight is 1 now: what was paid for is then punished"),
        (SetRewardWeight("concede", 10.0), "its weight is -10 now: what was punished is then paid for"),
        (SetRewardWeight("turned", 1.0), "its weight is -1 now"),
        (SetRewardWeight("eased", 1.0), "its weight is -0.5 now"),
    ]
    for command, words in cases:
        with subtests.test(words=words):
            assert value_warning(command, SNAPSHOT).startswith(words)


def test_not_doubtful(subtests: pytest.Subtests) -> None:
    cases: list[Command] = [
        SetLearningRate(1e-3), SetLearningRate(None), SetEntropy(0.02), SetEntropy(None), SetRewardWeight("touch", 0.0),
        SetRewardWeight("touch", 50.0), SetRewardWeight("concede", -1.0), SetRewardWeight("unknown", -1.0), Pause(),
    ]  # fmt: skip
    for command in cases:
        with subtests.test(command=command):
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
