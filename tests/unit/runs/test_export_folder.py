"""Copies out of the data folder: complete, checked, never over anything, nothing left of a failed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs import checkpoint
from rltui.runs.inventory import CheckpointInfo, list_checkpoints, read_checkpoint_info
from rltui.runs.keep import copy_name, export_folder, export_policy, export_target
from rltui.runs.paths import DataDir
from tests.fakes.saved_runs import make_run, save_milestone, tree


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def info(data: DataDir) -> CheckpointInfo:
    return read_checkpoint_info(save_milestone(make_run(data), 2, 5_000_000, "005M"))


def test_the_folder_is_copied_byte_by_byte(info: CheckpointInfo, tmp_path: Path) -> None:
    target = export_folder(info, tmp_path / "new" / "bots" / "mine")
    assert tree(target) == tree(info.path)
    checkpoint.verify(target)
    assert read_checkpoint_info(target).meta == info.meta


def test_the_policy_alone(info: CheckpointInfo, tmp_path: Path) -> None:
    target = export_policy(info, tmp_path / "bots" / "mine.npz")
    assert target.read_bytes() == (info.path / "policy.npz").read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["mine.npz"]


@pytest.mark.parametrize("make", ["file", "folder", "dead link"])
def test_nothing_is_ever_overwritten(info: CheckpointInfo, tmp_path: Path, make: str) -> None:
    target = tmp_path / "there"
    if make == "file":
        target.write_text("mine")
    elif make == "folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    for export in (export_folder, export_policy):
        with pytest.raises(RltuiError, match="exists: it is never overwritten"):
            export(info, target)
    assert make != "file" or target.read_text() == "mine"
    assert make != "folder" or list(target.iterdir()) == []


def test_a_name_taken_meanwhile_is_not_overwritten(
    info: CheckpointInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "mine.npz"
    monkeypatch.setattr("rltui.runs.keep._refuse_existing", lambda path: None)
    target.write_text("mine")
    with pytest.raises(RltuiError, match="cannot write"):
        export_policy(info, target)
    assert target.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "mine.npz"]


@pytest.mark.parametrize("policy", [False, True])
def test_a_damaged_one_is_not_copied(info: CheckpointInfo, tmp_path: Path, policy: bool) -> None:
    content = bytearray((info.path / "policy.npz").read_bytes())
    content[0] ^= 1
    (info.path / "policy.npz").write_bytes(content)
    with pytest.raises(RltuiError, match=r"policy\.npz is damaged"):
        (export_policy if policy else export_folder)(info, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_nothing(
    subtests: pytest.Subtests, info: CheckpointInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for point in ("save.write", "save.manifest.write", "save.rename", "export.write", "export.fsync"):
        with subtests.test(point=point):
            monkeypatch.setenv("RLTUI_FAULT", f"{point}:enospc:1:{tmp_path / point}")
            export = export_policy if point.startswith("export") else export_folder
            with pytest.raises(RltuiError, match="No space left on device"):
                export(info, tmp_path / "bots" / "out")
            assert not list((tmp_path / "bots").iterdir())


def test_where_a_typed_path_leads(
    data: DataDir, info: CheckpointInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert export_target(data, info, "~/mine") == tmp_path / "mine"
    assert export_target(data, info, " bots/mine ") == tmp_path / "bots" / "mine"
    (tmp_path / "bots").mkdir()
    assert export_target(data, info, "bots") == tmp_path / "bots" / "alpha-005M"
    assert export_target(data, info, "bots", policy=True) == tmp_path / "bots" / "alpha-005M.npz"
    assert copy_name(list_checkpoints(data.run("alpha"))[0]) == "alpha-1000"
    with pytest.raises(RltuiError, match="type a path"):
        export_target(data, info, "  ")


def test_not_among_what_readers_look_through(subtests: pytest.Subtests, data: DataDir, info: CheckpointInfo) -> None:
    cases: list[str] = ["checkpoints/alpha/5", "checkpoints", "runs/x", "trash/alpha/x", "checkpoints/milestones/b"]
    for inside in cases:
        with subtests.test(inside=inside), pytest.raises(RltuiError, match="where only rltui writes"):
            export_target(data, info, str(data.root / inside))
