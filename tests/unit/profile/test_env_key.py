"""`env`: keys of the game have no place beside it, and what is stored of such a profile is the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.profile.advice import advice
from rltui.profile.load import load, read
from rltui.profile.render import render
from rltui.profile.resolved import OF_GAME, digest, resolved

OWN = """\
schema = 1
env = "my_bot.py:build_env"

[obs]
normalize = true
"""
BUILD = "def build_env():\n    raise ValueError('only when it is used')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_bot.py").write_text(BUILD)
    return tmp_path


def test_its_file_is_found_beside_the_profile_and_not_played_in_yet(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN)
    assert load(folder / "own.toml").env == f"{folder / 'my_bot.py'}:build_env"


def test_what_is_of_the_game_is_refused_and_never_written(folder: Path, subtests: pytest.Subtests) -> None:
    written = {
        "tick_skip": "tick_skip = 4", "action_delay_ticks": "action_delay_ticks = 0", "resets": 'resets = [{kind = "kickoff"}]',
        "terminals": 'terminals = [{kind = "goal"}]', "game": "game.blue = 2", "obs": 'obs.kind = "compact"',
        "actions": 'actions.table = "hybrid"', "rewards": "rewards.touch = 1.0", "reward_options": "reward_options.zero_sum = true",
        "curriculum": 'curriculum.stages = "three_stage"', "mechanics": "mechanics.weight = 0.0",
        "selfplay": "selfplay.enabled = true", "evaluation": "evaluation.games = 4", "render": "render.at_start = true",
    }  # fmt: skip
    assert set(written) == set(OF_GAME)
    for name, line in {**written, "ppo": "ppo.mirror_augmentation = true"}.items():
        with subtests.test(name):
            (folder / "own.toml").write_text(f'schema = 1\nenv = "my_bot.py:build_env"\n{line}\n')
            problems = [problem for problem in read(folder / "own.toml").problems if problem.key.startswith(name)]
            assert [problem.message for problem in problems] == ["is of rltui's game, which env replaces"]
    (folder / "own.toml").write_text(OWN)
    kept = resolved(load(folder / "own.toml"))
    assert not set(kept) & (set(OF_GAME) - {"obs"}) and kept["obs"] == {"normalize": True}


def test_what_is_stored_of_it_is_the_same_profile(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN)
    profile = load(folder / "own.toml")
    (folder / "stored.toml").write_text(render(profile))
    again = load(folder / "stored.toml")
    assert digest(again) == digest(profile) and again.obs.normalize


def test_a_game_without_rewards_is_still_a_mistake(folder: Path) -> None:
    (folder / "game.toml").write_text("schema = 1\n")
    assert [(problem.key, problem.message) for problem in read(folder / "game.toml").problems] == [
        ("rewards", "missing")
    ]


def test_a_campaign_has_no_such_phase(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN)
    (folder / "campaign.toml").write_text('schema = 1\n[curriculum]\nphases = [{profile = "own.toml"}]\n')
    messages = [problem.message for problem in read(folder / "campaign.toml").problems]
    assert "a phase of a campaign plays the game, in no environment of its own" in messages


def test_advice_speaks_of_what_any_environment_has(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN + "\n[ppo]\nent_coef = 0.5\ngamma = 0.1\n[collect]\nworkers = 1\n")
    profile = load(folder / "own.toml").model_copy(update={"env": "gymnasium:CartPole-v1"})
    assert [sentence.partition(" ")[0] for sentence in advice(profile)] == ["ppo.ent_coef"], (
        "gamma's seconds are unknown"
    )
