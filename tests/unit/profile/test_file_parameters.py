"""Parameters that are files: beside the profile first, then from the working folder; ranges; team sizes of recordings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from rltui.env.from_profile import env_spec
from rltui.profile.load import load, read
from rltui.profile.render import render
from rltui.profile.source import Problem, ProfileError
from rltui.registry import build
from rltui.sim.recorded_states import save, stacked
from rltui.sim.resets.standard import RandomReset

REST = "\n[rewards]\ntouch = 1\n"
REPLAY = "resets = [{kind = 'replay', path = 'states/a.npz'}]"
USERS_OWN = """\
from dataclasses import dataclass, field
from pathlib import Path

from rltui.rewards.base import Reward


class Listed(Reward):
    category = "ball"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        list: str = field(metadata={"doc": "A file.", "file": True})

    def __init__(self, params):
        self.text = Path(params.list).read_text()

    def value(self, state):
        return state.boost
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(path: Path, blue: int = 1, orange: int = 1) -> Path:
    rng, reset = np.random.default_rng(0), RandomReset(RandomReset.Params())
    save(path, blue, orange, stacked([reset.sample(rng, blue, orange) for _ in range(3)]))
    return path


def write(folder: Path, text: str) -> Path:
    path = folder / "mine" / "bot.toml"
    path.write_text(f"schema = 1\n{text}\n{REST}")
    return path


def problem_of(path: Path) -> Problem:
    with pytest.raises(ProfileError) as caught:
        load(path)
    (problem,) = caught.value.problems
    return problem


def test_a_recording_beside_the_profile_comes_before_one_in_the_working_folder(folder: Path) -> None:
    profile = write(folder, REPLAY)
    here = record(folder / "states" / "a.npz")
    assert load(profile).resets[0].options == {"path": str(here)}
    beside = record(folder / "mine" / "states" / "a.npz")
    (reset,) = env_spec(load(profile)).resets
    assert reset.component.options == {"path": str(beside)}
    assert build("reset", reset.component).sample(np.random.default_rng(0), 1, 1).problem(2) == ""


def test_the_whole_path_is_what_a_run_keeps(folder: Path) -> None:
    beside = record(folder / "mine" / "states" / "a.npz")
    text = render(load(write(folder, REPLAY)))
    assert tomllib.loads(text)["resets"][0]["path"] == str(beside)


def test_wherever_a_reset_is_named(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("[mechanics]\nweight = 0.2\nresets = [{kind = 'replay', path = 'states/a.npz'}]", "mechanics"),
        ("[curriculum]\nstages = [{resets = [{kind = 'replay', path = 'states/a.npz'}]}]", "curriculum"),
    ]
    for text, key in cases:
        with subtests.test(text=text, key=key):
            beside = record(folder / "mine" / "states" / "a.npz")
            profile = load(write(folder, text))
            holder = profile.mechanics if key == "mechanics" else profile.curriculum.stages[0]  # type: ignore[index]
            assert holder.resets[0].options["path"] == str(beside)  # type: ignore[union-attr]


def test_a_reward_of_the_users_own_may_name_a_file_too(folder: Path) -> None:
    (folder / "mine" / "own.py").write_text(USERS_OWN)
    (folder / "mine" / "list.txt").write_text("hello")
    path = folder / "mine" / "bot.toml"
    path.write_text("schema = 1\n[rewards]\n'own.py:Listed' = {weight = 1, list = 'list.txt'}\n")
    (reward,) = env_spec(load(path)).rewards
    assert build("reward", reward.component).text == "hello"
    assert reward.component.options["list"] == str(folder / "mine" / "list.txt")


def test_what_is_wrong_is_found_when_the_profile_is_read(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, str, str]] = [
        (REPLAY, "resets[0]", "no such file"),
        ("resets = [{kind = 'replay'}]", "resets[0].path", "missing"),
        ("resets = [{kind = 'replay', path = 3}]", "resets[0].path", "wrong type"),
        ("resets = [{kind = 'replay', path = 'mine/bot.toml'}]", "resets[0]", "expected plain arrays in an .npz file"),
        ("resets = [{kind = 'random', car_z = [20, 800]}]", "resets[0].car_z", "out of range"),
        ("resets = [{kind = 'random', car_z = [800, 200]}]", "resets[0]", "low <= high"),
        ("resets = [{kind = 'wall', ball_speed = 900}]", "resets[0].ball_speed", "wrong type"),
    ]
    for text, key, words in cases:
        with subtests.test(text=text, key=key):
            problem = problem_of(write(folder, text))
            assert (problem.line, problem.key) == (2, key)
            assert words in problem.message
            assert key != "resets[0].car_z" or problem.expected == "a list of 2 numbers, 100 to 1950"


def test_team_sizes_without_states_are_found_too(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, int, str, str]] = [
        (REPLAY, 2, "resets[0]", "does not fit 1v1"),
        ("[mechanics]\nweight = 0.2\n" + REPLAY, 4, "mechanics.resets[0]", "does not fit 1v1"),
        (f"[curriculum]\nstages = [{{blue = 3, orange = 3, {REPLAY}}}]", 2, "curriculum", "does not fit 3v3"),
    ]
    for text, line, key, sizes in cases:
        with subtests.test(text=text, line=line):
            path = record(folder / "mine" / "states" / "a.npz", 1, 2)
            problem = problem_of(write(folder, text))
            assert (problem.line, problem.key) == (line, key)
            blue, orange = sizes[-3], sizes[-1]
            assert problem.message == f"{sizes}: {path}: blue, orange: expected {blue} and {orange}, found 1 and 2"


def test_swapped_team_sizes_fit(folder: Path) -> None:
    record(folder / "mine" / "states" / "a.npz", 1, 2)
    assert not read(write(folder, f"{REPLAY}\n[game]\nblue = 2\norange = 1")).problems
