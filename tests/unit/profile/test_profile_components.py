"""Components of the user's own: found beside the profile, checked like the registered ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.env.from_profile import env_spec, sizes
from rltui.profile.load import load
from rltui.profile.resolved import resolved
from rltui.profile.source import Problem, ProfileError
from rltui.registry import build

REWARDS = '''\
from dataclasses import dataclass, field

from rltui.obs.builder import ObsBuilder
from rltui.rewards.base import Reward


class High(Reward):
    """Pays for a high ball."""

    category = "ball"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        scale: float = field(default=2044.0, metadata={"doc": "Height that pays 1.", "unit": "uu", "min": 1.0})
        steps: int = 3
        corners: tuple[float, ...] = (1.0, 2.0)

    def value(self, state):
        return state.ball_position[:, 2:] / self.params.scale


class NoValue(Reward):
    category = "ball"
    sign = 1


class Taken(High):
    @dataclass(frozen=True)
    class Params(Reward.Params):
        weight: float = 2.0


class Picky(High):
    def __init__(self, params):
        raise RuntimeError("not today")


class TooSmall(ObsBuilder):
    def size(self, blue, orange):
        if blue + orange > 1:
            raise ValueError("one car only")
        return 3

    def build(self, state, out):
        pass


not_a_class = 3
'''

PICKY_LINE = REWARDS.partition("not today")[0].count("\n") + 1
NO_SIGN = """\
from rltui.rewards.base import Reward


class NoSign(Reward):
    category = "ball"

    def value(self, state):
        return None
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "terms.py").write_text(REWARDS)
    (tmp_path / "mine" / "no_sign.py").write_text(NO_SIGN)
    (tmp_path / "mine" / "typo.py").write_text("\nprint(\n")
    (tmp_path / "mine" / "script.py").write_text("import sys\n\nsys.exit(3)\n")
    (tmp_path / "mine" / "broken.py").write_text("import nothing_of_that_name\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def profile_with(folder: Path, text: str) -> Path:
    path = folder / "mine" / "bot.toml"
    path.write_text("schema = 1\n" + text)
    return path


def problem_of(path: Path) -> Problem:
    with pytest.raises(ProfileError) as caught:
        load(path)
    (problem,) = caught.value.problems
    return problem


def test_a_reward_from_a_file_beside_the_profile(folder: Path) -> None:
    profile = load(
        profile_with(folder, "[rewards]\n'terms.py:High' = {weight = 2, scale = 100, steps = 4.0, corners = [3]}\n")
    )
    (reward,) = env_spec(profile).rewards
    assert reward.component.name == f"{folder / 'mine' / 'terms.py'}:High"
    assert reward.component.options == {"scale": 100.0, "steps": 4, "corners": (3.0,)}
    assert isinstance(reward.component.options["steps"], int)
    assert build("reward", reward.component).params.scale == 100.0


def test_a_file_from_the_working_folder(folder: Path) -> None:
    (folder / "other.py").write_text(REWARDS)
    profile = load(profile_with(folder, "[rewards]\n'other.py:High' = 1\n"))
    assert list(profile.rewards) == [f"{folder / 'other.py'}:High"]
    assert resolved(profile)["rewards"][f"{folder / 'other.py'}:High"]["scale"] == 2044.0


def test_its_parameters_are_checked(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("{weight = 1, scael = 3}", ".scael", "unknown parameter", "scale"),
        ("{weight = 1, scale = 0.5}", ".scale", "out of range", "a number, at least 1"),
        ("{weight = 1, scale = 'x'}", ".scale", "wrong type", "a number"),
        ("{weight = 1, scale = nan}", ".scale", "out of range", "a finite number"),
        ("{weight = 1, steps = 2.5}", ".steps", "wrong type", "a whole number"),
        ("{weight = 1, corners = [1, 'x']}", ".corners[1]", "wrong type", "a number"),
    ]
    for value, key, message, expected in cases:
        with subtests.test(value=value, key=key):
            problem = problem_of(profile_with(folder, f"[rewards]\n'terms.py:High' = {value}\n"))
            assert problem.key == f'rewards."terms.py:High"{key}' and problem.line == 3
            assert message in problem.message and expected in problem.expected


def test_what_is_wrong_with_the_class_is_said(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("terms.py:Missing", "has no class Missing"),
        ("terms.py:Hihg", 'has no class Hihg; did you mean "High"?'),
        ("terms.py:not_a_class", "has no class not_a_class"),
        ("no_sign.py:NoSign", "does not import: TypeError"),
        ("terms.py:NoValue", "NoValue does not define value"),
        ("terms.py:TooSmall", "TooSmall is no Reward"),
        ("terms.py:Picky", "not today"),
        ("terms.py:Picky", f"terms.py:{PICKY_LINE})"),
        ("terms.py:Taken", "Taken.Params has weight, which a profile uses itself"),
        ("broken.py:Any", "does not import: ModuleNotFoundError: No module named 'nothing_of_that_name' ("),
        ("broken.py:Any", "broken.py:1)"),
        ("typo.py:Any", "does not import: SyntaxError: '(' was never closed ("),
        ("typo.py:Any", "typo.py:2)"),
        ("script.py:Any", "does not import: SystemExit: 3 ("),
        ("nowhere.py:Any", "no file"),
    ]
    for name, message in cases:
        with subtests.test(name=name, message=message):
            problem = problem_of(profile_with(folder, f"[rewards]\n'{name}' = 1\n"))
            assert (problem.line, problem.key) == (3, f'rewards."{name}"')
            assert message in "; ".join(filter(None, (problem.message, problem.hint)))


def test_an_observation_that_does_not_fit_the_team_sizes(folder: Path) -> None:
    text = "[rewards]\ntouch = 1\n[obs]\nkind = 'terms.py:TooSmall'\n"
    problem = problem_of(profile_with(folder, text))
    assert (problem.line, problem.key) == (4, "obs")
    assert problem.message == "does not fit 1v1: one car only"
    assert env_spec(load(profile_with(folder, text + "[game]\norange = 0\n"))).orange == 0


SIZE = """
from rltui.obs.builder import ObsBuilder

class Sized(ObsBuilder):
    def size(self, blue, orange):
        return {size}

    def build(self, state, out):
        out[:] = 0
"""


def test_an_observation_whose_size_is_no_size(subtests: pytest.Subtests, folder: Path) -> None:
    for index, size in enumerate(["'7'", "7.0", "0", "-3", "None", "True"]):
        with subtests.test(size=size):
            (folder / "mine" / f"sized{index}.py").write_text(SIZE.format(size=size))
            problem = problem_of(profile_with(folder, f"[rewards]\ntouch = 1\n[obs]\nkind = 'sized{index}.py:Sized'\n"))
            assert (problem.line, problem.key) == (4, "obs")
            assert problem.message == "size(1, 1) must be how many numbers a car's row has"
            assert (problem.expected, problem.found) == ("a whole number, at least 1", size)


def test_a_size_from_numpy_is_a_size(folder: Path) -> None:
    (folder / "mine" / "sized.py").write_text("import numpy as np\n" + SIZE.format(size="np.prod((2, 3))"))
    profile = load(profile_with(folder, "[rewards]\ntouch = 1\n[obs]\nkind = 'sized.py:Sized'\n"))
    assert type(sizes(env_spec(profile)).obs) is int
