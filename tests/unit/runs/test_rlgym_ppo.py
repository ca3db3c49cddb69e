"""Where rlgym-ppo has saved: found near a script, and told from what is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.runs.inventory import THEIRS, read_inventory
from rltui.runs.paths import DataDir
from rltui.runs.rlgym_ppo import POLICY, find_saved


def saved(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / POLICY).write_bytes(b"")
    return folder


def test_it_is_found_in_any_folder_nearby(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for place in ("data/checkpoints/rlgym-ppo-run-17", "out", "a/b/c/d"):
        with subtests.test(place=place):
            folder = saved(tmp_path / place / "5000000")
            assert find_saved(tmp_path, 5_000_000) == folder
            folder.rename(folder.with_name("1"))
    for place in (".venv", "a/b/c/d/e", "x/5000000"):
        saved(tmp_path / place / "5000000")
    (tmp_path / "5000000").mkdir()
    assert find_saved(tmp_path, 5_000_000) is None, "hidden, too deep, in a checkpoint, without a policy"


def test_among_our_runs_it_is_called_what_it_is(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("rlgym-ppo-run-17")
    saved(paths.checkpoint(5_000_000))
    paths.checkpoint(6_000_000).mkdir()
    damage = {info.timesteps: info.damage for info in read_inventory(paths).checkpoints}
    assert damage[5_000_000] == THEIRS and damage[6_000_000] not in (THEIRS, None)
