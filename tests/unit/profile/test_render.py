"""The resolved text: complete, explained, and the same profile when read again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rltui.profile.load import load
from rltui.profile.locate import list_profiles
from rltui.profile.render import Difference, differences, render
from rltui.profile.resolved import digest, resolved

TEXT = """\
schema = 1
tick_skip = 4
author = "Zoë \\"Z\\""
[rewards]
strong_hit = 0.5
[ppo]
gamma = 0.995
learning_rate = 2e-5
"""


@pytest.fixture
def rendered(tmp_path: Path) -> str:
    path = tmp_path / "bot.toml"
    path.write_text(TEXT, encoding="utf-8")
    return render(load(path))


def test_values_are_complete(rendered: str) -> None:
    data = tomllib.loads(rendered)
    assert data["author"] == 'Zoë "Z"'
    assert data["obs"]["zero_padding"] == 3
    assert data["terminals"][1] == {"kind": "no_touch", "seconds": 15.0}
    assert data["rewards"]["strong_hit"] == {"weight": 0.5, "full_hit_speed": 2300.0}
    assert data["ppo"]["critic_learning_rate"] == 2e-5
    assert data["ppo"]["batch"] == data["ppo"]["iteration"] == 50_000
    assert data["ppo"]["minibatch"] == data["learner"]["precision"] == "auto"


def test_gamma_has_its_half_life_in_seconds_of_this_tick_skip(rendered: str) -> None:
    (line,) = [line for line in rendered.splitlines() if line.startswith("gamma =")]
    assert line.startswith("gamma = 0.995  # half-life 4.6 s")  # ln 0.5 / ln 0.995 = 138.3 steps of 4/120 s


def test_every_key_is_explained(rendered: str) -> None:
    lines = rendered.splitlines()
    for number, line in enumerate(lines):
        if " = " in line and not line.lstrip().startswith("#"):
            assert lines[number - 1].lstrip().startswith("#"), line


def test_small_numbers_are_written_as_people_write_them(rendered: str) -> None:
    assert "\nlearning_rate = 2e-5\n" in rendered and "\niteration = 50_000\n" in rendered


def test_it_reads_back_as_the_same_profile(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for name in [listed.name for listed in list_profiles()]:
        with subtests.test(name=name):
            profile = load(name)
            again = tmp_path / "again.toml"
            again.write_text(render(profile), encoding="utf-8")
            assert resolved(load(again)) == resolved(profile)
            assert digest(load(again)) == digest(profile)
            assert render(load(again)) == render(profile)


def test_a_digest_changes_with_any_value(tmp_path: Path) -> None:
    profile = load("quick")
    assert digest(load("quick", ["ppo.gamma=0.991"])) != digest(profile)
    assert digest(load("quick", ["obs.boost_coef=0.02"])) != digest(profile)
    assert digest(load("quick", [f"ppo.gamma={profile.ppo.gamma}"])) == digest(profile)


LEFT = """\
schema = 1
resets = [{kind = "kickoff", weight = 0.4}, {kind = "random", weight = 0.6}]
[rewards]
touch = 1
strong_hit = 0.2
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def test_another_spelling_is_no_difference(tmp_path: Path) -> None:
    left = load(write(tmp_path, "left", LEFT))
    right = load(
        write(
            tmp_path,
            "right",
            "tick_skip = 8\n"
            'resets = [{kind = "random", weight = 6e-1, cars_on_ground = false}, {weight = 0.4, kind = "kickoff"}]\n'
            "[rewards]\ntouch = {weight = 1.0}\nstrong_hit = {weight = 0.2, full_hit_speed = 2300}\n",
        )
    )
    assert differences(left, right) == []
    assert digest(left) != digest(right)  # the order of resets decides what a seed draws
    assert digest(left) == digest(load(write(tmp_path, "same", "schema = 1.0\n" + LEFT.partition("\n")[2])))


def test_differences_by_key(tmp_path: Path) -> None:
    right = (
        "phase = 2\n"
        'resets = [{kind = "kickoff", weight = 0.5}, {kind = "kickoff"}, {kind = "random", weight = 0.6}]\n'
        "[rewards]\nstrong_hit = {weight = 0.2, full_hit_speed = 1000.0}\ngoal = 10\n"
        "[policy]\nlayers = [64]\n"
    )
    assert differences(load(write(tmp_path, "left", LEFT)), load(write(tmp_path, "right", right))) == [
        Difference("resets.kickoff.weight", "0.4", "0.5"),
        Difference("rewards.touch", "{weight = 1.0}", None),
        Difference("rewards.strong_hit.full_hit_speed", "2300.0", "1000.0"),
        Difference("policy.layers", "[256, 256, 256]", "[64]"),
        Difference("phase", None, "2"),
        Difference('resets."kickoff 2"', None, "{weight = 1.0}"),
        Difference("rewards.goal", None, "{weight = 10.0}"),
    ]


def test_a_campaign_is_compared_as_it_begins() -> None:
    found = differences(load("campaign"), load("phase-1-ball-touching"))
    by_key = {difference.key: difference for difference in found}
    assert set(by_key) == {"description", "milestone_interval", "curriculum.phases", "evaluation.games"}
    phases = by_key["curriculum.phases"]
    assert phases.left is not None and "phase-2-bronze-skills" in phases.left and phases.right is None
