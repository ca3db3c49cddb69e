"""A checkpoint kept as a milestone or exported: whole, or nothing at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.profile.curriculum import task_profile
from rltui.profile.load import load
from rltui.profile.models import Profile
from rltui.profile.render import render
from rltui.runs import checkpoint, meta
from rltui.runs.checkpoint import read_checkpoint
from rltui.runs.inventory import (
    CheckpointInfo,
    MilestoneMark,
    change_mark,
    list_checkpoints,
    list_milestones,
    read_checkpoint_info,
    read_marks,
)
from rltui.runs.keep import copy_name, export_folder, export_policy, export_target, keep_checkpoint
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.lock import RunLock, lock_holder
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resolve import find_checkpoint
from rltui.runs.saver import SaveJob, Saver, SaveResult, prune
from rltui.runs.summary import describe_run
from tests.fakes.saved_runs import (
    SIGNATURE,
    make_files,
    make_meta,
    make_run,
    place,
    save_milestone,
    tree,
    without_lock,
)

PHASE = "Phase1-BallTouching"


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    """alpha, with checkpoints at 1000 and 12,431,360 timesteps."""
    found = make_run(DataDir(tmp_path / "data"), commits=1)
    place(found.checkpoint(12_431_360), make_files(make_meta("alpha", 2, 12_431_360)))
    return found


def newest(paths: RunPaths) -> CheckpointInfo:
    return list_checkpoints(paths)[-1]


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)


def test_it_is_a_whole_copy_named_for_its_steps_and_outlives_its_checkpoint(paths: RunPaths) -> None:
    source = newest(paths)
    kept = keep_checkpoint(paths, source)
    assert (kept.milestone, kept.present, kept.set_aside) == (f"{PHASE}/012.43136M", False, None)
    assert kept.path == paths.milestones / PHASE / "012.43136M"
    assert tree(kept.path) == tree(source.path)
    assert checkpoint.damage(kept.path, thorough=True) is None
    (found,) = list_milestones(paths)
    assert (found.milestone, found.timesteps, found.commit) == (kept.milestone, 12_431_360, 2)
    assert not list(paths.data.root.rglob(".saving-*"))
    shutil.rmtree(source.path)
    assert checkpoint.damage(kept.path, thorough=True) is None


def test_it_is_there_wherever_milestones_are(paths: RunPaths) -> None:
    kept = keep_checkpoint(paths, list_checkpoints(paths)[0])
    assert find_checkpoint(paths.data, "alpha/000.001M")[1].path == kept.path
    assert [saved.timesteps for saved in describe_run(paths).milestones] == [1000]
    plan = plan_launch(StartRequest(paths.data, SIGNATURE, "quick", mode="alpha/000.001M"))
    assert (plan.kind, plan.checkpoint, plan.parent) == ("branch", kept.path, "alpha@1000")


def test_the_run_goes_on_from_its_checkpoint_as_before(paths: RunPaths) -> None:
    before = plan_launch(StartRequest(paths.data, SIGNATURE, "quick", now=0))
    keep_checkpoint(paths, newest(paths))
    assert plan_launch(StartRequest(paths.data, SIGNATURE, "quick", now=0)) == before


@pytest.mark.parametrize("label", ["012M", "012.43136M"])
def test_a_state_that_is_kept_already_is_left_as_it_is(paths: RunPaths, label: str) -> None:
    save_milestone(paths, 2, 12_431_360, label)
    before = tree(paths.data.root)
    kept = keep_checkpoint(paths, newest(paths))
    assert (kept.milestone, kept.present) == (f"{PHASE}/{label}", True)
    assert tree(paths.data.root) == before


def test_what_another_keeps_meanwhile_is_kept_already(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    def after_another(target: Path, files: dict[str, bytes], staging: Path) -> None:
        place(target, files)
        checkpoint.write_checkpoint(target, files, staging)

    monkeypatch.setattr("rltui.runs.keep.write_checkpoint", after_another)
    kept = keep_checkpoint(paths, newest(paths))
    assert (kept.milestone, kept.present) == (f"{PHASE}/012.43136M", True)
    assert checkpoint.damage(kept.path, thorough=True) is None


def test_a_milestone_is_kept_already(paths: RunPaths) -> None:
    save_milestone(paths, 1, 5_000_000, "005M")
    assert keep_checkpoint(paths, list_milestones(paths)[0]).present


def test_the_trainer_s_own_milestone_of_it_is_the_same(paths: RunPaths) -> None:
    """What the saver finds kept by a person it does not write again."""
    kept = keep_checkpoint(paths, newest(paths))
    heard: list[SaveResult] = []
    saver = Saver(paths, 5, heard.append)
    saver.submit(SaveJob("milestone", kept.path, 12_431_360, lambda: read_checkpoint(newest(paths).path), "012.43136M"))
    assert saver.close(10)
    assert [result.outcome for result in heard] == ["present"]


def test_another_bot_under_its_name_is_never_written_to(paths: RunPaths) -> None:
    save_milestone(paths, 7, 12_431_360, "012.43136M")
    before = tree(paths.data.root)
    with pytest.raises(RltuiError, match="holds another bot"):
        keep_checkpoint(paths, newest(paths))
    assert without_lock(tree(paths.data.root)) == before


def test_a_damaged_milestone_of_its_name_gives_way_and_its_marks_stay(paths: RunPaths) -> None:
    there = save_milestone(paths, 2, 12_431_360, "012.43136M")
    change_mark(paths, f"{PHASE}/012.43136M", lambda mark: MilestoneMark(pinned=True, note="the best"))
    flip(there / "PPO_POLICY.pt")
    damaged = tree(there)
    kept = keep_checkpoint(paths, newest(paths))
    assert kept.path == there and not kept.present and checkpoint.damage(there, thorough=True) is None
    assert kept.set_aside is not None and tree(kept.set_aside) == damaged
    assert read_marks(paths)[kept.milestone] == MilestoneMark(pinned=True, note="the best")


def test_a_damaged_checkpoint_is_refused_with_the_reason(paths: RunPaths) -> None:
    source = newest(paths)
    flip(source.path / "policy.npz")
    before = tree(paths.data.root)
    with pytest.raises(RltuiError, match=r"policy\.npz is damaged: its SHA-256"):
        keep_checkpoint(paths, source)
    assert tree(paths.data.root) == before and not paths.milestones.exists()


def test_one_that_was_pruned_meanwhile_is_gone(paths: RunPaths) -> None:
    oldest = list_checkpoints(paths)[0]
    prune(paths, 1)
    with pytest.raises(RltuiError, match="checkpoint 1000 of run 'alpha' is gone"):
        keep_checkpoint(paths, oldest)
    assert not paths.milestones.exists()


def test_one_without_meta_is_refused(paths: RunPaths) -> None:
    files = make_files(make_meta("alpha", 3, 3000))
    del files["meta.json"]
    place(paths.checkpoint(3000), files)
    with pytest.raises(RltuiError, match=r"checkpoint 3000 cannot be kept: meta\.json"):
        keep_checkpoint(paths, read_checkpoint_info(paths.checkpoint(3000)))


@pytest.mark.parametrize("damaged", [False, True])
def test_a_full_disk_leaves_nothing(
    subtests: pytest.Subtests, paths: RunPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    if damaged:
        flip(save_milestone(paths, 2, 12_431_360, "012.43136M") / "policy.npz")
    before = tree(paths.data.root)
    for point in (
        "save.mkdir",
        "save.write",
        "save.manifest.write",
        "save.fsync_folder",
        "save.rename",
        "save.fsync_parent",
    ):
        with subtests.test(point=point):
            monkeypatch.setenv("RLTUI_FAULT", f"{point}:enospc:1:{tmp_path / point}")
            with pytest.raises(RltuiError, match="No space left on device"):
                keep_checkpoint(paths, newest(paths))
            monkeypatch.delenv("RLTUI_FAULT")
            assert without_lock(tree(paths.data.root)) == before
            assert paths.milestones.exists() is damaged
            assert not list(paths.data.root.rglob(".saving-*"))
    assert keep_checkpoint(paths, newest(paths)).milestone == f"{PHASE}/012.43136M"


def test_a_copy_that_differs_is_removed(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rltui.runs.checkpoint.write_new", lambda path, content, point: path.write_bytes(content[:-1]))
    with pytest.raises(RltuiError, match="the copy differs from the original"):
        keep_checkpoint(paths, newest(paths))
    assert not paths.milestones.exists()


def test_nobody_starts_meanwhile_and_a_living_trainer_is_not_disturbed(
    paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []
    real = checkpoint.write_checkpoint

    def write(*args: Path) -> int:
        held.append(lock_holder(paths) is not None)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("rltui.runs.keep.write_checkpoint", write)
    keep_checkpoint(paths, newest(paths))
    assert held == [True] and lock_holder(paths) is None
    with RunLock(paths):
        about = paths.lock_json.read_bytes()
        keep_checkpoint(paths, list_checkpoints(paths)[0])
        assert paths.lock_json.read_bytes() == about
    assert len(list_milestones(paths)) == 2


def named_by_trainer(profile: Profile) -> str:
    return meta.phase_folder(profile.phase, profile.label, profile.name)


def test_the_phase_is_called_as_the_trainer_calls_it(subtests: pytest.Subtests, paths: RunPaths) -> None:
    cases: list[tuple[str, int]] = [
        ("quick", 0),
        ("seed-task", 0),
        ("classic-phase-2", 0),
        ("campaign", 0),
        ("campaign", 2),
    ]
    for name, phase in cases:
        with subtests.test(name=name, phase=phase):
            profile = load(name)
            taught = task_profile(profile, phase)
            about = msgspec.structs.replace(make_meta("alpha", 3, 3000), phase=taught.phase, profile=profile.name)
            files = make_files(about) | {"profile.toml": render(taught).encode()}
            kept = keep_checkpoint(paths, read_checkpoint_info(place(paths.checkpoint(3000), files)))
            assert kept.path.parent.name == named_by_trainer(taught)
            shutil.rmtree(kept.path), shutil.rmtree(paths.checkpoint(3000))


def test_without_a_readable_profile_the_phase_is_called_after_it(paths: RunPaths) -> None:
    files = make_files(make_meta("alpha", 3, 3000)) | {"profile.toml": b"\xff = ["}
    assert (
        keep_checkpoint(paths, read_checkpoint_info(place(paths.checkpoint(3000), files))).milestone
        == "Phase1-quick/000.003M"
    )


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


def test_an_export_to_a_full_disk_leaves_nothing(
    subtests: pytest.Subtests, info: CheckpointInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for point in (
        "save.write",
        "save.manifest.write",
        "save.rename",
        "save.fsync_parent",
        "export.write",
        "export.fsync",
        "export.fsync_parent",
    ):
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
    for typed in ("bots/" + "a" * 300, "a/" * 2500, "a\0b", "a\ud800b", "bots/CON", "aux.npz", "bots/a."):
        with pytest.raises(RltuiError) as refused:
            export_target(data, info, typed)
        assert refused.value.exit_code == 2 and len(refused.value.message) < 300


def test_not_among_what_readers_look_through(subtests: pytest.Subtests, data: DataDir, info: CheckpointInfo) -> None:
    cases: list[str] = ["checkpoints/alpha/5", "checkpoints", "runs/x", "trash/alpha/x", "checkpoints/milestones/b"]
    for inside in cases:
        with subtests.test(inside=inside), pytest.raises(RltuiError, match="where only rltui writes"):
            export_target(data, info, str(data.root / inside))
