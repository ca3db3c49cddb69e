"""What is typed to change a training: the commands, and errors that say what would do."""

from __future__ import annotations

import pytest

from rltui.events.commands import Command, SetEntropy, SetFlag, SetLearningRate, SetRender, SetRewardWeight
from rltui.run_state.change_command import EXAMPLES, ChangeError, completed, completions, parse

REWARDS = ("touch", "speed_toward_ball")


@pytest.mark.parametrize(
    ("text", "command"),
    [
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
    ],
)
def test_commands(text: str, command: Command) -> None:
    assert parse(text, REWARDS) == command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "type what to change"),
        ("entrpy 1", 'did you mean "entropy"?'),
        ("xyz", "there are lr"),
        ("lr", "one number: lr 1e-4"),
        ("lr fast", "a number, or the word profile, found 'fast'"),
        ("lr nan", "with an end"),
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
    ],
)
def test_errors_say_what_would_do(text: str, words: str) -> None:
    with pytest.raises(ChangeError) as caught:
        parse(text, REWARDS)
    assert words in str(caught.value)


def test_the_examples_are_commands() -> None:
    for example, _ in EXAMPLES:
        parse(example, REWARDS)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
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
    ],
)
def test_what_may_follow(text: str, choices: list[str]) -> None:
    assert completions(text, REWARDS, workers=3) == choices


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("", ""),
        ("e", "entropy "),
        ("flag d", "flag debug_"),
        ("flag debug_t", "flag debug_turtled_start "),
        ("reward sp", "reward speed_toward_ball "),
        ("render ro", "render rocketsimvis "),
        ("lr 1e", "lr 1e"),
    ],
)
def test_a_word_is_completed_as_far_as_all_agree(text: str, longer: str) -> None:
    assert completed(text, completions(text, REWARDS, workers=3)) == longer


def test_what_is_offered_is_understood() -> None:
    """Every line that completion leads to means something, once a number stands where one is due."""
    for verb in completions(""):
        for second in completions(f"{verb} ", REWARDS, 2):
            line = f"{verb} {second}"
            while more := completions(f"{line} ", REWARDS, 2):
                line = f"{line} {more[-1]}"
            parse(line, REWARDS)
