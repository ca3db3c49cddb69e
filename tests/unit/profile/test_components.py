"""Components, files and action tables of the user's own: found beside the profile, checked like the registered ones."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.env.from_profile import env_spec, signature, sizes, table_rows
from rltui.field import CONTROLS
from rltui.profile.load import load, read
from rltui.profile.render import render
from rltui.profile.resolved import resolved
from rltui.profile.source import Problem, ProfileError
from rltui.registry import build
from rltui.sim.resets.standard import RandomReset
from tests.fakes.states_file import save, stacked

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
            if "no class" in message or "not import" in message:  # a name in the right form is not told the form
                assert problem.expected == "" and f"found {name}" not in str(problem)


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
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(path: Path, blue: int = 1, orange: int = 1) -> Path:
    rng, reset = np.random.default_rng(0), RandomReset(RandomReset.Params())
    save(path, blue, orange, stacked([reset.sample(rng, blue, orange) for _ in range(3)]))
    return path


def write(workdir: Path, text: str) -> Path:
    path = workdir / "mine" / "bot.toml"
    path.write_text(f"schema = 1\n{text}\n{REST}")
    return path


def test_a_recording_beside_the_profile_comes_before_one_in_the_working_folder(workdir: Path) -> None:
    profile = write(workdir, REPLAY)
    here = record(workdir / "states" / "a.npz")
    assert load(profile).resets[0].options == {"path": str(here)}
    beside = record(workdir / "mine" / "states" / "a.npz")
    (reset,) = env_spec(load(profile)).resets
    assert reset.component.options == {"path": str(beside)}
    assert build("reset", reset.component).sample(np.random.default_rng(0), 1, 1).problem(2) == ""


def test_the_whole_path_is_what_a_run_keeps(workdir: Path) -> None:
    beside = record(workdir / "mine" / "states" / "a.npz")
    text = render(load(write(workdir, REPLAY)))
    assert tomllib.loads(text)["resets"][0]["path"] == str(beside)


def test_wherever_a_reset_is_named(subtests: pytest.Subtests, workdir: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("[mechanics]\nweight = 0.2\nresets = [{kind = 'replay', path = 'states/a.npz'}]", "mechanics"),
        ("[curriculum]\nstages = [{resets = [{kind = 'replay', path = 'states/a.npz'}]}]", "curriculum"),
    ]
    for text, key in cases:
        with subtests.test(text=text, key=key):
            beside = record(workdir / "mine" / "states" / "a.npz")
            profile = load(write(workdir, text))
            holder = profile.mechanics if key == "mechanics" else profile.curriculum.stages[0]  # type: ignore[index]
            assert holder.resets[0].options["path"] == str(beside)  # type: ignore[union-attr]


def test_a_reward_of_the_users_own_may_name_a_file_too(workdir: Path) -> None:
    (workdir / "mine" / "own.py").write_text(USERS_OWN)
    (workdir / "mine" / "list.txt").write_text("hello")
    path = workdir / "mine" / "bot.toml"
    path.write_text("schema = 1\n[rewards]\n'own.py:Listed' = {weight = 1, list = 'list.txt'}\n")
    (reward,) = env_spec(load(path)).rewards
    assert build("reward", reward.component).text == "hello"
    assert reward.component.options["list"] == str(workdir / "mine" / "list.txt")


def test_what_is_wrong_is_found_when_the_profile_is_read(subtests: pytest.Subtests, workdir: Path) -> None:
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
            problem = problem_of(write(workdir, text))
            assert (problem.line, problem.key) == (2, key)
            assert words in problem.message
            assert key != "resets[0].car_z" or problem.expected == "a list of 2 numbers, 100 to 1950"


def test_team_sizes_without_states_are_found_too(subtests: pytest.Subtests, workdir: Path) -> None:
    cases: list[tuple[str, int, str, str]] = [
        (REPLAY, 2, "resets[0]", "does not fit 1v1"),
        ("[mechanics]\nweight = 0.2\n" + REPLAY, 4, "mechanics.resets[0]", "does not fit 1v1"),
        (f"[curriculum]\nstages = [{{blue = 3, orange = 3, {REPLAY}}}]", 2, "curriculum", "does not fit 3v3"),
    ]
    for text, line, key, words in cases:
        with subtests.test(text=text, line=line):
            path = record(workdir / "mine" / "states" / "a.npz", 1, 2)
            problem = problem_of(write(workdir, text))
            assert (problem.line, problem.key) == (line, key)
            blue, orange = words[-3], words[-1]
            assert problem.message == f"{words}: {path}: blue, orange: expected {blue} and {orange}, found 1 and 2"


def test_swapped_team_sizes_fit(workdir: Path) -> None:
    record(workdir / "mine" / "states" / "a.npz", 1, 2)
    assert not read(write(workdir, f"{REPLAY}\n[game]\nblue = 2\norange = 1")).problems


def test_a_text_that_can_name_nothing_is_refused_wherever_it_stands(subtests: pytest.Subtests, workdir: Path) -> None:
    for text, rule in (
        ("a" * 300, "300 bytes"),
        ("a" * 5000, "5,000 bytes"),
        ("a/" * 2500, "5,000 bytes"),
        ("a\\u0000", "a NUL"),
    ):
        for key, body in (
            ("actions.table", f"[actions]\ntable = '{text}.csv'"),
            ("actions.table", f"[actions]\ntable = '{text}:rows'"),
            ("obs.kind", f"[obs]\nkind = '{text}.py:Obs'"),
            ("game.opponent", f"[game]\nopponent = '{text}.py:Player'"),
            ("game.meshes", f"[game]\nmeshes = '{text}'"),
            ("resets[0].path", f"resets = [{{kind = 'replay', path = '{text}'}}]"),
            ("terminals[0].kind", f"terminals = [{{kind = '{text}.py:End'}}]"),
            ("mechanics.rewards", f"[mechanics.rewards]\n'{text}.py:Pays' = 1"),
            ("curriculum.stages[0].opponent", f"[curriculum]\nstages = [{{opponent = '{text}.py:Player'}}]"),
        ):
            with subtests.test(rule=rule, key=key):
                problem = problem_of(write(workdir, body.replace("'", '"')))
                assert problem.key == key and len(problem.found) < 200
                assert rule.split()[-1] in problem.message


HEADER = ",".join(CONTROLS) + "\n"


TABLE = HEADER + "1,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n0,0,0,0,0,1,0,0\n"


ROWS = np.array([[1, 0, 0, 0, 0, 0, 0, 0], [0] * 8, [0, 0, 0, 0, 0, 1, 0, 0]], np.float32)


CODE = "def make():\n    return [[1, 0, 0, 0, 0, 0, 0, 0], [0] * 8, [0, 0, 0, 0, 0, 1, 0, 0]]\n"


@pytest.fixture
def table_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The profile's own folder, which is not the working one."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "moves.csv").write_text(TABLE)
    np.save(tmp_path / "mine" / "moves.npy", ROWS)
    (tmp_path / "mine" / "moves.py").write_text(CODE)
    (tmp_path / f"moves_of_{tmp_path.name}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine"


def with_table(table_folder: Path, actions: str) -> Path:
    path = table_folder / "bot.toml"
    path.write_text(f"schema = 1\n[rewards]\ntouch = 1\n[actions]\n{actions}\n")
    return path


def problems_of(path: Path) -> list[Problem]:
    reading = read(path)
    assert reading.profile is None
    return reading.problems


def test_a_table_beside_the_profile(subtests: pytest.Subtests, table_folder: Path) -> None:
    for name in ["moves.csv", "moves.npy", "moves.py:make"]:
        with subtests.test(name=name):
            profile = load(with_table(table_folder, f"table = '{name}'"))
            spec = env_spec(profile)
            assert spec.table.name == str(
                table_folder / name
            )  # absolute: workers and resumed runs find it wherever they start
            assert resolved(profile)["actions"]["table"] == str(table_folder / name)
            np.testing.assert_array_equal(table_rows(spec), ROWS)
            assert sizes(spec).table_hash == signature(profile).table_hash == table_hash(ROWS)


def test_a_module_in_the_working_folder(table_folder: Path) -> None:
    module = f"moves_of_{table_folder.parent.name}"
    spec = env_spec(load(with_table(table_folder, f"table = '{module}:make'")))
    assert spec.table.name == f"{table_folder.parent / module}.py:make", "a run finds it from every folder"
    np.testing.assert_array_equal(table_rows(spec), ROWS)


def test_a_table_in_the_working_folder(table_folder: Path) -> None:
    (table_folder / "moves.csv").rename(table_folder.parent / "other.csv")
    assert env_spec(load(with_table(table_folder, "table = 'other.csv'"))).table.name == str(
        table_folder.parent / "other.csv"
    )


def test_legality_by_itself(subtests: pytest.Subtests, table_folder: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("table = 'hybrid'", "mask"),
        ("table = 'rlgym'", "off"),
        ("table = 'moves.csv'", "off"),
        ("table = 'hybrid'\nlegality = 'fallback'", "fallback"),
        ("table = 'moves.csv'\nlegality = 'mask'", "mask"),
        ("", "off"),
    ]
    for actions, mode in cases:
        with subtests.test(actions=actions, mode=mode):
            spec = env_spec(load(with_table(table_folder, actions)))
            assert spec.pipeline == PipelineOptions(mode)
            assert (sizes(spec).actions.masks is not None) == (mode == "mask")


def test_every_key_reaches_the_pipeline(table_folder: Path) -> None:
    text = "table = 'moves.csv'\nlegality = 'fallback'\nfallback_row = 1\nrecovery_row = 2\nclip = true\nsticky = 3\n"
    spec = env_spec(load(with_table(table_folder, text + "sticky_buttons = ['jump']")))
    assert spec.pipeline == PipelineOptions("fallback", 1, 2, True, 3, ("jump",))


def test_numbers_beyond_the_range_need_clip(table_folder: Path) -> None:
    (table_folder / "moves.csv").write_text(TABLE + "2,0,0,0,0,0,0,0\n")
    (problem,) = problems_of(with_table(table_folder, "table = 'moves.csv'"))
    assert "moves.csv, line 5, column throttle: expected a number in -1..1" in problem.message
    spec = env_spec(load(with_table(table_folder, "table = 'moves.csv'\nclip = true")))
    assert table_rows(spec)[3, 0] == 2.0  # the hash is of what is in the file


def test_mistakes_are_told_where_they_stand(subtests: pytest.Subtests, table_folder: Path) -> None:
    cases: list[tuple[str, int, str, str]] = [
        ("table = 'gone.csv'", 5, "actions.table", "no file"),
        ("table = 'moves.py:gone'", 5, "actions.table", "has no class or function gone"),
        ("table = 'no_such_module:make'", 5, "actions.table", "does not import"),
        ("table = 'hybird'", 5, "actions.table", 'did you mean "hybrid"?'),
        ("table = 'half.csv'", 5, "actions.table", "half.csv, line 3, column jump: expected 0 or 1"),
        ("table = 'swapped.csv'", 5, "actions.table", "the columns stand in another order"),
        ("table = 'no_idle.csv'\nlegality = 'mask'", 6, "actions.legality", "the action table has no idle row"),
        ("table = 'moves.csv'\nlegality = 'fallback'\nfallback_row = 0", 7, "actions.fallback_row", "full throttle"),
        ("table = 'moves.csv'\nfallback_row = 3", 6, "actions.fallback_row", "expected 0 to 2, found 3"),
        ("table = 'moves.csv'\nrecovery_row = 90", 6, "actions.recovery_row", "expected 0 to 2, found 90"),
        ("table = 'moves.csv'\nspeed = 3", 6, "actions.speed", "unknown parameter"),
    ]
    for actions, line, key, words in cases:
        with subtests.test(actions=actions, line=line):
            (table_folder / "half.csv").write_text(HEADER + "0,0,0,0,0,0,0,0\n0,0,0,0,0,0.5,0,0\n")
            (table_folder / "swapped.csv").write_text(TABLE.replace("pitch,yaw", "yaw,pitch"))
            (table_folder / "no_idle.csv").write_text(HEADER + "1,0,0,0,0,0,0,0\n")
            (problem,) = problems_of(with_table(table_folder, actions))
            assert (problem.line, problem.key) == (line, key)
            assert words in str(problem)


def test_they_are_told_together_with_all_others(table_folder: Path) -> None:
    path = with_table(
        table_folder,
        "table = 'moves.csv'\nfallback_row = 0\nrecovery_row = 7\nsticky = 0\n[ppo]\nepochs = 0",
    )
    keys = [problem.key for problem in problems_of(path)]
    assert keys == ["actions.fallback_row", "actions.recovery_row", "actions.sticky", "ppo.epochs"]
