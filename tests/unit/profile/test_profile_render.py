"""The resolved text: complete, explained, and the same profile when read again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rltui.profile.load import load
from rltui.profile.locate import list_profiles
from rltui.profile.render import render
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
    assert data["ppo"]["batch"] == data["ppo"]["minibatch"] == data["ppo"]["iteration"] == 50_000


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
