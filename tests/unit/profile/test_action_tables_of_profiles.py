"""[actions] in a profile: the user's own table is found, kept as written, and checked before anything starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.env.from_profile import env_spec, masks, signature, sizes, table_rows
from rltui.field import CONTROLS
from rltui.profile.load import load, read
from rltui.profile.resolved import resolved
from rltui.profile.source import Problem

HEADER = ",".join(CONTROLS) + "\n"
TABLE = HEADER + "1,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n0,0,0,0,0,1,0,0\n"
ROWS = np.array([[1, 0, 0, 0, 0, 0, 0, 0], [0] * 8, [0, 0, 0, 0, 0, 1, 0, 0]], np.float32)
CODE = "def make():\n    return [[1, 0, 0, 0, 0, 0, 0, 0], [0] * 8, [0, 0, 0, 0, 0, 1, 0, 0]]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The profile's own folder, which is not the working one."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "moves.csv").write_text(TABLE)
    np.save(tmp_path / "mine" / "moves.npy", ROWS)
    (tmp_path / "mine" / "moves.py").write_text(CODE)
    (tmp_path / f"moves_of_{tmp_path.name}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine"


def profile_with(folder: Path, actions: str) -> Path:
    path = folder / "bot.toml"
    path.write_text(f"schema = 1\n[rewards]\ntouch = 1\n[actions]\n{actions}\n")
    return path


def problems_of(path: Path) -> list[Problem]:
    reading = read(path)
    assert reading.profile is None
    return reading.problems


def test_a_table_beside_the_profile(subtests: pytest.Subtests, folder: Path) -> None:
    for name in ["moves.csv", "moves.npy", "moves.py:make"]:
        with subtests.test(name=name):
            profile = load(profile_with(folder, f"table = '{name}'"))
            spec = env_spec(profile)
            assert spec.table.name == str(
                folder / name
            )  # absolute: workers and resumed runs find it wherever they start
            assert resolved(profile)["actions"]["table"] == str(folder / name)
            np.testing.assert_array_equal(table_rows(spec), ROWS)
            assert sizes(spec).table_hash == signature(profile).table_hash == table_hash(ROWS)


def test_a_module_in_the_working_folder(folder: Path) -> None:
    module = f"moves_of_{folder.parent.name}"
    spec = env_spec(load(profile_with(folder, f"table = '{module}:make'")))
    assert spec.table.name == f"{module}:make"
    np.testing.assert_array_equal(table_rows(spec), ROWS)


def test_a_table_in_the_working_folder(folder: Path) -> None:
    (folder / "moves.csv").rename(folder.parent / "other.csv")
    assert env_spec(load(profile_with(folder, "table = 'other.csv'"))).table.name == str(folder.parent / "other.csv")


def test_legality_by_itself(subtests: pytest.Subtests, folder: Path) -> None:
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
            spec = env_spec(load(profile_with(folder, actions)))
            assert spec.pipeline == PipelineOptions(mode)
            assert (masks(spec) is not None) == (mode == "mask")


def test_every_key_reaches_the_pipeline(folder: Path) -> None:
    text = "table = 'moves.csv'\nlegality = 'fallback'\nfallback_row = 1\nrecovery_row = 2\nclip = true\nsticky = 3\n"
    spec = env_spec(load(profile_with(folder, text + "sticky_buttons = ['jump']")))
    assert spec.pipeline == PipelineOptions("fallback", 1, 2, True, 3, ("jump",))


def test_numbers_beyond_the_range_need_clip(folder: Path) -> None:
    (folder / "moves.csv").write_text(TABLE + "2,0,0,0,0,0,0,0\n")
    (problem,) = problems_of(profile_with(folder, "table = 'moves.csv'"))
    assert "moves.csv, line 5, column throttle: expected a number in -1..1" in problem.message
    spec = env_spec(load(profile_with(folder, "table = 'moves.csv'\nclip = true")))
    assert table_rows(spec)[3, 0] == 2.0  # the hash is of what is in the file


def test_mistakes_are_told_where_they_stand(subtests: pytest.Subtests, folder: Path) -> None:
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
            (folder / "half.csv").write_text(HEADER + "0,0,0,0,0,0,0,0\n0,0,0,0,0,0.5,0,0\n")
            (folder / "swapped.csv").write_text(TABLE.replace("pitch,yaw", "yaw,pitch"))
            (folder / "no_idle.csv").write_text(HEADER + "1,0,0,0,0,0,0,0\n")
            (problem,) = problems_of(profile_with(folder, actions))
            assert (problem.line, problem.key) == (line, key)
            assert words in str(problem)


def test_they_are_told_together_with_all_others(folder: Path) -> None:
    path = profile_with(
        folder, "table = 'moves.csv'\nfallback_row = 0\nrecovery_row = 7\nsticky = 0\n[ppo]\nepochs = 0"
    )
    keys = [problem.key for problem in problems_of(path)]
    assert keys == ["actions.fallback_row", "actions.recovery_row", "actions.sticky", "ppo.epochs"]
