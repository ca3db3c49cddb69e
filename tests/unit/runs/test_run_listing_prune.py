"""F8 and the order of commits: what is listed, pruned and saved among strays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rltui.runs.checkpoint import damage, write_checkpoint
from rltui.runs.inventory import complete_checkpoints, list_checkpoints, list_milestones, newest_commit
from rltui.runs.paths import DataDir
from rltui.runs.resume import choose_resume
from rltui.runs.saver import SaveJob, Saver, SaveResult, clean_temporary, prune
from rltui.runs.summary import describe_runs
from tests.fakes.saved_runs import SIGNATURE, litter, make_files, make_meta, make_run, save, save_milestone, tree


def test_order_is_by_commit_not_by_number(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    for commit, timesteps in ((1, 9000), (2, 100_000), (3, 50), (4, 20_000)):
        save(paths, commit, timesteps)
    infos = list_checkpoints(paths)
    assert [(info.commit, info.timesteps) for info in infos] == [(1, 9000), (2, 100_000), (3, 50), (4, 20_000)]
    assert prune(paths, 2) == [paths.checkpoint(9000), paths.checkpoint(100_000)]
    assert [info.name for info in list_checkpoints(paths)] == ["checkpoint 50", "checkpoint 20000"]
    assert newest_commit(paths) == 4


def test_timesteps_come_from_meta_not_from_the_name(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    write_checkpoint(paths.milestones / "Phase1-X" / "005M", make_files(make_meta("alpha", 1, 5_012_000)))
    (info,) = list_milestones(paths)
    assert (info.timesteps, info.milestone, info.name) == (5_012_000, "Phase1-X/005M", "milestone Phase1-X/005M")
    (info.path / "meta.json").unlink()
    (info,) = list_milestones(paths)
    assert (info.timesteps, info.meta) == (5_000_000, None)
    assert info.damage == "meta.json is missing"


def test_strays_change_nothing(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    paths = make_run(data, commits=3)
    save_milestone(paths, 2, 5_000_000, "005M")
    before = (list_checkpoints(paths), list_milestones(paths), describe_runs(data))
    litter(data, paths)
    assert (list_checkpoints(paths), list_milestones(paths), describe_runs(data)) == before
    strays = {name: content for name, content in tree(tmp_path).items() if content.startswith((b"stray", b"a file"))}
    assert choose_resume(data, SIGNATURE, profile="quick").checkpoint == paths.checkpoint(3000)
    assert prune(paths, 1) == [paths.checkpoint(1000), paths.checkpoint(2000)]
    assert clean_temporary(paths) == []
    save(paths, 4, 4000)
    assert strays.items() <= tree(tmp_path).items()
    assert [info.commit for info in list_milestones(paths)] == [2]


@pytest.mark.parametrize("stray", ["file", "empty folder", "half a checkpoint", "loop"])
def test_what_stands_where_a_save_goes_is_set_aside_not_lost(tmp_path: Path, stray: str) -> None:
    paths = make_run(DataDir(tmp_path), commits=1)
    target = paths.checkpoint(777)
    if stray == "file":
        target.write_bytes(b"mine")
    elif stray == "empty folder":
        target.mkdir()
    elif stray == "half a checkpoint":
        shutil.copytree(paths.checkpoint(1000), target)
        (target / "policy.npz").write_bytes(b"cut")
    else:
        target.symlink_to(target)
    results: list[SaveResult] = []
    saver = Saver(paths, 5, results.append)
    saver.submit(SaveJob("checkpoint", target, 777, lambda: make_files(make_meta("alpha", 2, 777))))
    assert saver.close(10)
    (result,) = results
    assert result.outcome == "saved" and damage(target, thorough=True) is None
    assert result.set_aside is not None and result.set_aside.parent == paths.damaged
    if stray == "file":
        assert result.set_aside.read_bytes() == b"mine"
    assert [info.commit for info in list_checkpoints(paths)] == [1, 2]


def test_damaged_ones_are_listed_with_the_reason_and_neither_counted_nor_pruned(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=4)
    (paths.checkpoint(4000) / "PPO_POLICY.pt").write_bytes(b"cut")
    (paths.checkpoint(1000) / "manifest.sha256").unlink()
    (paths.checkpoints / "500").mkdir()
    reasons = {info.timesteps: info.damage for info in list_checkpoints(paths)}
    assert reasons == {
        500: "no manifest.sha256: half copied, or not a checkpoint",
        1000: "no manifest.sha256: half copied, or not a checkpoint",
        2000: None,
        3000: None,
        4000: "PPO_POLICY.pt is damaged: it has 3 bytes, expected 600",
    }
    assert [info.commit for info in complete_checkpoints(paths)] == [2, 3]
    assert prune(paths, 1) == [paths.checkpoint(2000)]
    assert prune(paths, 0) == []
    assert sorted(path.name for path in paths.checkpoints.iterdir()) == ["1000", "3000", "4000", "500"]


def test_milestones_are_never_pruned_and_are_copies_of_their_own(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=3)
    folder = save_milestone(paths, 1, 1000, "000.001M")
    files = tree(folder)
    prune(paths, 1)
    shutil.rmtree(paths.checkpoints)
    assert tree(folder) == files and damage(folder, thorough=True) is None
    assert all(path.stat().st_nlink == 1 and not path.is_symlink() for path in folder.iterdir())


def test_of_one_state_the_checkpoint_comes_after_the_milestone(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=2)
    save_milestone(paths, 2, 2000, "000.002M")
    assert [info.name for info in complete_checkpoints(paths)] == [
        "checkpoint 1000",
        "milestone Phase1-BallTouching/000.002M",
        "checkpoint 2000",
    ]


def test_cleaning_takes_only_this_runs_temporaries(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    alpha, beta = make_run(data, "alpha"), make_run(data, "beta")
    for paths in (alpha, beta):
        (paths.staging / ".saving-4000-1-1").mkdir(parents=True)
        (paths.staging / ".saving-4000-1-1/PPO_POLICY.pt").write_bytes(b"half")
    (alpha.checkpoints / ".saving-5000-1-1").mkdir()
    (alpha.folder / ".saving-milestones.json-1-1").write_bytes(b"half")
    before = tree(alpha.checkpoint(1000))
    assert len(clean_temporary(alpha)) == 3
    assert list(tmp_path.rglob(".saving-*")) == [beta.staging / ".saving-4000-1-1"]
    assert tree(alpha.checkpoint(1000)) == before


def test_a_linked_checkpoint_loses_its_link_not_its_target(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=2)
    elsewhere = tmp_path / "elsewhere"
    paths.checkpoint(1000).rename(elsewhere)
    paths.checkpoint(1000).symlink_to(elsewhere)
    assert prune(paths, 1) == [paths.checkpoint(1000)]
    assert damage(elsewhere, thorough=True) is None
