"""Warnings, and the half-life of rewards."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from rltui.env.arena_groups import ArenaGroups
from rltui.env.from_profile import env_spec
from rltui.profile.advice import advice, half_life
from rltui.profile.load import load, read


def test_half_life(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, int, float]] = [
        (0.99, 8, 4.60),
        (0.995, 8, 9.22),
        (0.997, 8, 15.38),
        (0.999, 8, 46.19),
        (0.99, 4, 2.30),
        (0.0, 8, 0.0),
        (1.0, 8, inf),
    ]
    for gamma, tick_skip, seconds in cases:
        with subtests.test(gamma=gamma, tick_skip=tick_skip):
            assert half_life(gamma, tick_skip) == pytest.approx(seconds, abs=0.005)


BASE = "schema = 1\n{top}\n[rewards]\ntouch = 1\n[collect]\nworkers = 1\narenas = 16\n[ppo]\n{ppo}\n"


def warnings(tmp_path: Path, top: str = "", ppo: str = "") -> list[str]:
    path = tmp_path / "bot.toml"
    path.write_text(BASE.format(top=top, ppo=ppo))
    return advice(load(path))


def test_a_plain_profile_has_none(tmp_path: Path) -> None:
    assert warnings(tmp_path) == []


def test_what_is_warned_of(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str, str]] = [
        ("", "learning_rate = 0.01", "ppo.learning_rate = 0.01: rarely stable"),
        ("", "learning_rate = 0", "the policy will not change"),
        ("", "ent_coef = 0", "ppo.ent_coef = 0.0: nothing pays for exploring"),
        ("", "ent_coef = 1", "ppo.ent_coef = 1.0: acting at random pays more"),
        ("phase = 4", "learning_rate = 1e-4", "0.8e-4 or less"),
        ("phase = 3", "learning_rate = 2e-4", "wants 1e-4"),
        ("", "gamma = 0.9", "after 0.4 s"),
        ("", "iteration = 20_000\nbatch = 50_000", "more than the 20_000 timesteps at hand"),
        ("", "iteration = 50_006\nbatch = 50_000", "a last batch of only about 6 of"),
        ("", "iteration = 100", "over 16 arenas only 4 steps"),
        ("save_every = 1000", "", "save_every = 1_000: less than one iteration (50_000)"),
        ("milestone_interval = 1000", "", "milestone_interval = 1_000: less than one iteration"),
        ("terminals = [{kind = 'timeout'}]", "", "without goal the ball stays in the net"),
        ("terminals = [{kind = 'goal'}]", "", "never ends"),
        ("selfplay = {enabled = true}\ngame = {orange = 0}", "", "no opponent ever plays"),
        ("selfplay = {enabled = true}\nphase = 2", "", "early in phase 2"),
        ("reward_options = {zero_sum = true}", "", "1v1 against itself all cars' rewards add up to 0"),
    ]
    for top, ppo, words in cases:
        with subtests.test(top=top, ppo=ppo):
            (warning,) = warnings(tmp_path, top, ppo)
            assert words in warning


def test_frozen_opponents_need_an_arena_beside_the_mirror_games(subtests: pytest.Subtests, tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(BASE.format(top="selfplay = {enabled = true}", ppo=""))
    practice = ["mechanics.weight=0.2", "mechanics.resets=[{kind = 'wall'}]"]
    for arenas, more, enough in ((1, [], False), (2, [], True), (2, practice, False), (3, practice, True)):
        with subtests.test(arenas=arenas, practice=bool(more)):
            profile = load(path, [f"collect.arenas={arenas}", *more])
            said = any("no opponent ever plays" in warning for warning in advice(profile))
            [match, *_] = ArenaGroups(env_spec(profile), arenas, [0]).batches()
            assert (not said) == enough == bool(len(match._frozen._who))


def test_what_is_not(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("phase = 4", "learning_rate = 0.8e-4"),
        ("", "iteration = 20_000\nbatch = 40_000\nbuffer_iterations = 2"),
        ("", "iteration = 60_000\nbatch = 20_000"),
        ("reward_options = {zero_sum = true}\ngame = {blue = 1, orange = 2}", ""),
    ]
    for top, ppo in cases:
        with subtests.test(top=top, ppo=ppo):
            assert warnings(tmp_path, top, ppo) == []


def test_a_missing_schema_is_said(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text("[rewards]\ntouch = 1\n")
    reading = read(path)
    assert reading.profile is not None and "schema = 1" in reading.notices[0]
