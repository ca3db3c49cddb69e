"""`--set section.key=value`: what it changes, and that its mistakes are said to be its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.profile.load import load, toml_or_text
from rltui.profile.source import Problem, ProfileError

TEXT = """\
schema = 1
resets = [{kind = "kickoff", weight = 0.4}, {kind = "random", weight = 0.6}]
[rewards]
touch = 1.0
strong_hit = {weight = 0.2, full_hit_speed = 1000.0}
[ppo]
minibatch = 500
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)
    return path


def problems_of(file: Path, *overrides: str) -> tuple[Problem, ...]:
    with pytest.raises(ProfileError) as caught:
        load(file, overrides)
    assert caught.value.exit_code == 2
    return caught.value.problems


def test_no_number_is_beyond_what_the_journal_can_tell(subtests: pytest.Subtests, file: Path) -> None:
    """Its header would be no record, and the run would have none."""
    cases: list[str] = [
        "save_every=1e30",
        "milestone_interval=9007199254740993",
        "ppo.iteration=1e17",
        "rewards.touch=1e101",
    ]
    for override in cases:
        with subtests.test(override=override):
            (problem,) = problems_of(file, override)
            assert "too large, at most " in problem.message


def test_a_schedule_has_no_such_weight_either(file: Path) -> None:
    (problem,) = problems_of(file, "rewards.touch=[[0, 1e101]]")
    assert "the weight must be -1e+38 to 1e+38" in problem.message


def test_values_of_every_type(file: Path) -> None:
    profile = load(
        file,
        [
            "tick_skip=4",
            "ppo.learning_rate = 1e-4",
            "ppo.iteration=2e4",
            "ppo.normalize_advantages=false",
            "policy.layers=[64, 32]",
            "learner.device=cpu",
            'collect.collector="serial"',
            "label=Two-Words",
        ],
    )
    assert (profile.tick_skip, profile.ppo.learning_rate, profile.ppo.iteration) == (4, 1e-4, 20_000)
    assert profile.ppo.normalize_advantages is False
    assert profile.policy.layers == (64, 32)
    assert (profile.learner.device, profile.collect.collector, profile.label) == ("cpu", "serial", "Two-Words")


def test_what_follows_another_key_follows_its_override(file: Path) -> None:
    profile = load(file, ["ppo.learning_rate=3e-5", "ppo.iteration=7000"])
    assert profile.ppo.critic_learning_rate == 3e-5
    assert (profile.ppo.batch, profile.ppo.minibatch) == (7000, 500)


def test_the_last_override_wins(file: Path) -> None:
    assert load(file, ["tick_skip=4", "tick_skip=6"]).tick_skip == 6


def test_a_reward_is_added_changed_and_keeps_its_parameters(file: Path) -> None:
    profile = load(file, ["rewards.goal=10", "rewards.strong_hit=0.5", "rewards.touch.weight=3"])
    assert {name: section.weight for name, section in profile.rewards.items()} == {
        "touch": 3.0,
        "strong_hit": 0.5,
        "goal": 10.0,
    }
    assert profile.rewards["strong_hit"].options == {"full_hit_speed": 1000.0}


def test_an_element_of_a_list(subtests: pytest.Subtests, file: Path) -> None:
    for key in ["resets.1.weight", "resets[1].weight"]:
        with subtests.test(key=key):
            assert [reset.weight for reset in load(file, [f"{key}=2"]).resets] == [0.4, 2.0]


def test_mistakes_of_an_override_are_said_to_be_its_own(subtests: pytest.Subtests, file: Path) -> None:
    cases: list[tuple[str, str, str, str, str]] = [
        ("ppo.gamma=2", "ppo.gamma", "out of range", "0 to 1", "2"),
        ("ppo.gamma=high", "ppo.gamma", "wrong type", "a number", '"high"'),
        ("ppo.gama=0.9", "ppo.gama", "unknown key", "gamma", "gama"),
        ("rewards.tuch=1", "rewards.tuch", "unknown reward", "touch", "tuch"),
        ("rewards.touch=nan", "rewards.touch", "out of range", "a finite number", "nan"),
        ("ppo.batch=100", "ppo.minibatch", "larger than the batch", "at most 100", "500"),
        ("policy.layers=[256,", "policy.layers", "wrong type", "a list", '"[256,"'),
        ("resets=[]", "resets", "wrong length", "at least 1", "[]"),
        ("resets.5.weight=1", "resets", "has no keys below it", "from 0 to 1", "resets.5.weight"),
        ("tick_skip.x=1", "tick_skip", "wrong type", "a whole number", "{x = 1}"),
        ("gamma", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "gamma"),
        ("=3", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "=3"),
        ("ppo..gamma=3", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "ppo..gamma=3"),
        ("", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", '""'),
    ]
    for override, key, message, expected, found in cases:
        with subtests.test(override=override, key=key):
            (problem,) = problems_of(file, override)
            assert (problem.file, problem.line, problem.key) == ("--set", None, key)
            assert message in problem.message and expected in problem.expected and found in problem.found
            assert str(problem).startswith("--set: ")


def test_mistakes_of_file_and_overrides_come_together(file: Path) -> None:
    file.write_text(TEXT + "gamma = 7\n")
    problems = problems_of(file, "ppo.epochs=0", "nonsense")
    assert [(problem.file, problem.key) for problem in problems] == [
        (str(file), "ppo.gamma"),
        ("--set", ""),
        ("--set", "ppo.epochs"),
    ]


def test_toml_or_text(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, object]] = [
        ("3", 3),
        ("2e-4", 2e-4),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ('"a b"', "a b"),
        ("{a = 1}", {"a": 1}),
        ("auto", "auto"),
        ("a # b", "a # b"),
        ("", ""),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 5000, "[" * 5000),
    ]
    for text, value in cases:
        with subtests.test(text=text, value=repr(value)):
            assert toml_or_text(text) == value
