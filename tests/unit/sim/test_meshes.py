"""Collision meshes: found without heavy imports, checked before the simulator starts."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.sim import meshes

LOOK = """
import sys
from rltui.sim import meshes
folder = meshes.locate()
meshes.check(folder)
print(folder.is_dir(), sorted({"RocketSim", "torch", "numpy", "rlgym.rocket_league.sim", "rlgym.api"} & set(sys.modules)))
"""
START = """
from rltui.sim import meshes
meshes.init_simulator(meshes.locate())
meshes.init_simulator(meshes.locate())
import RocketSim
RocketSim.Arena(RocketSim.GameMode.SOCCAR)
"""


def run(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=cwd
    )


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A whole folder of meshes of one's own, in a working folder without any."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(meshes.locate(), tmp_path / "mine"))


def test_found_in_the_wheel_without_importing_the_simulator(tmp_path: Path) -> None:
    ran = run(LOOK, tmp_path)
    assert (ran.returncode, ran.stdout.split(maxsplit=1)) == (0, ["True", "[]\n"]), ran.stderr


def test_starts_silently_and_once_is_enough(tmp_path: Path) -> None:
    ran = run(START, tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_working_folder_comes_before_the_wheel_and_the_profile_before_both(copy: Path, tmp_path: Path) -> None:
    local = tmp_path / "assets" / "collision_meshes"
    shutil.copytree(copy, local)
    assert meshes.locate().resolve() == local
    assert meshes.locate(str(copy)) == copy
    assert meshes.locate("").resolve() == local


def test_a_missing_folder_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RltuiError) as caught:
        meshes.init_simulator(meshes.locate(str(tmp_path / "nowhere")))
    assert str(tmp_path / "nowhere" / "soccar") in caught.value.message
    assert "pip install" in caught.value.hint and "assets/collision_meshes" in caught.value.hint


def test_too_few_files(copy: Path) -> None:
    (copy / "soccar" / "mesh_3.cmf").unlink()
    with pytest.raises(RltuiError, match=r"expected 16 \.cmf files, found 15"):
        meshes.check(copy)


@pytest.mark.parametrize("length", [0, 4, 100])
def test_a_cut_file_is_named(copy: Path, length: int) -> None:
    file = copy / "soccar" / "mesh_3.cmf"
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(RltuiError, match=r"damaged: mesh_3\.cmf"):
        meshes.check(copy)


def test_an_unreadable_file(copy: Path) -> None:
    file = copy / "soccar" / "mesh_3.cmf"
    file.unlink()
    file.mkdir()
    with pytest.raises(RltuiError, match="cannot be read") as caught:
        meshes.check(copy)
    assert str(copy) in caught.value.message
