"""Deleting moves to the trash whole or not at all; restoring brings everything back; nothing needed or protected goes."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.runs import trash
from rltui.runs.inventory import (
    CheckpointInfo,
    MilestoneMark,
    change_mark,
    list_checkpoints,
    list_milestones,
    read_marks,
)
from rltui.runs.lock import RunLock, lock_holder
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.trash import Trashed, delete, empty_trash, list_trash, restore, why_not_deleted
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import litter, make_run, save, save_milestone, tree

NAME = "Phase1-BallTouching/005M"
NOBODY = 65534


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def paths(data: DataDir) -> RunPaths:
    """Commits 1 to 3 as checkpoints; the milestone is of commit 2."""
    found = make_run(data)
    save_milestone(found, 2, 5_000_000, "005M")
    return found


def milestone(paths: RunPaths) -> CheckpointInfo:
    return list_milestones(paths)[0]


def test_deleted_and_restored_with_every_byte_and_its_note(data: DataDir, paths: RunPaths) -> None:
    change_mark(paths, NAME, lambda _: MilestoneMark(note="dribbles"))
    before = tree(data.checkpoints)
    trashed = delete(paths, milestone(paths), now=1_700_000_500.0)
    assert (trashed.run, trashed.name, trashed.timesteps, trashed.time) == (
        "alpha",
        f"milestone {NAME}",
        5_000_000,
        1_700_000_500.0,
    )
    assert list_milestones(paths) == []
    assert read_marks(paths) == {}, "another milestone of that name is not to inherit it"
    assert list_trash(data) == [trashed]
    assert trashed.folder.parent.parent == data.root / "trash" / "alpha"
    assert restore(data, trashed) == paths.milestones / NAME
    assert tree(data.checkpoints) == before
    assert read_marks(paths) == {NAME: MilestoneMark(note="dribbles")}
    assert list_trash(data) == []
    assert tree(data.trash) == {}


def test_what_is_in_the_trash_is_no_run_and_no_checkpoint(data: DataDir, paths: RunPaths) -> None:
    names = data.run_names()
    delete(paths, list_checkpoints(paths)[0])
    assert data.run_names() == names
    assert [info.path.name for info in list_checkpoints(paths)] == ["2000", "3000"]


def test_a_protected_one_stays(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[MilestoneMark, str]] = [
        (MilestoneMark(pinned=True), "it is pinned: unpin it first"),
        (MilestoneMark(released=True), "it is released"),
    ]
    for mark, why in cases:
        with subtests.test(mark=repr(mark), why=why):
            change_mark(paths, NAME, lambda _, mark=mark: mark)
            before = tree(data.root)
            with pytest.raises(RltuiError, match=why):
                delete(paths, milestone(paths))
            after = tree(data.root)
            assert {name: after[name] for name in before} == before
            assert list_trash(data) == []


def test_marks_that_cannot_be_read_protect_too(data: DataDir, paths: RunPaths) -> None:
    paths.milestones_json.write_bytes(b"{")
    with pytest.raises(RltuiError, match="cannot be read"):
        delete(paths, milestone(paths))
    assert milestone(paths).damage is None


def test_the_newest_state_stays_while_the_run_trains_and_only_then(data: DataDir, paths: RunPaths) -> None:
    newest = list_checkpoints(paths)[-1]
    with RunLock(paths):
        with pytest.raises(RltuiError, match="the newest state of a run in training"):
            delete(paths, newest)
        assert newest.path.is_dir()
        delete(paths, milestone(paths))
        delete(paths, list_checkpoints(paths)[0])
    delete(paths, newest)
    assert [info.path.name for info in list_checkpoints(paths)] == ["2000"]
    assert trash.is_newest(paths, list_checkpoints(paths)[0])


def test_of_two_copies_of_the_newest_state_one_may_go_while_it_trains(data: DataDir, paths: RunPaths) -> None:
    save_milestone(paths, 3, 10_000_000, "010M")
    with RunLock(paths):
        delete(paths, list_milestones(paths)[-1])
        assert why_not_deleted(paths, list_checkpoints(paths)[-1], training=True) is not None


def test_no_trainer_can_start_while_something_is_moved(
    data: DataDir, paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would perhaps have chosen just that one."""
    seen: list[bool] = []
    monkeypatch.setattr(trash, "fault", lambda point: seen.append(lock_holder(paths) is not None))
    delete(paths, milestone(paths))
    assert seen == [True]
    assert lock_holder(paths) is None, "and the lock is free again"


def test_damaged_ones_can_be_deleted(data: DataDir, paths: RunPaths) -> None:
    (paths.checkpoint(3000) / "policy.npz").unlink()
    broken = next(info for info in list_checkpoints(paths) if info.damage)
    with RunLock(paths):
        delete(paths, broken)
    assert list_trash(data)[0].timesteps == 3000


def test_a_link_and_what_lies_outside_are_left_alone(data: DataDir, paths: RunPaths, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    moved = (paths.milestones / NAME).rename(outside / "005M")
    (paths.milestones / NAME).symlink_to(moved)
    with pytest.raises(RltuiError, match=r"is a link to .*: it is left alone"):
        delete(paths, milestone(paths))
    (paths.milestones / NAME).unlink()
    (paths.milestones / "Phase1-BallTouching").rmdir()
    (paths.milestones / "Phase1-BallTouching").symlink_to(outside)
    with pytest.raises(RltuiError, match="lies outside the data folder"):
        delete(paths, milestone(paths))
    assert moved.is_dir()
    assert list_trash(data) == []


def test_a_trash_that_leads_elsewhere_is_not_used(data: DataDir, paths: RunPaths, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    data.trash.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RltuiError, match="leads out of the data folder"):
        delete(paths, milestone(paths))
    assert milestone(paths).damage is None


def test_a_full_disk_changes_nothing(
    subtests: pytest.Subtests, data: DataDir, paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(data.checkpoints)
    original = RunLock.acquire
    for point in ("file.write", "file.create", "file.fsync", "trash.rename"):

        def acquire(lock: RunLock, point: str = point) -> None:  # its own lock.json is another matter
            original(lock)
            monkeypatch.setenv("RLTUI_FAULT", f"{point}:enospc:1")

        with subtests.test(point=point), monkeypatch.context() as patched:
            patched.setattr(RunLock, "acquire", acquire)
            with pytest.raises(RltuiError, match=r"to the trash: No space left on device; nothing was changed"):
                delete(paths, milestone(paths))
            assert tree(data.checkpoints) == before
            assert tree(data.trash) == {}
            assert list_trash(data) == []
        monkeypatch.delenv("RLTUI_FAULT", raising=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and user ids")
def test_a_folder_that_may_not_be_written_in() -> None:
    """Deleting and restoring are refused in words; nothing is half done."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        data = DataDir(Path(folder) / "data")
        paths = make_run(data)
        save_milestone(paths, 2, 5_000_000, "005M")
        before = tree(data.root)

        def child(report: Callable[[str], None]) -> None:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                delete(paths, milestone(paths))
            except RltuiError as error:
                report(error.message)

        for place in [data.root, *data.root.rglob("*")]:
            place.chmod(0o555 if place.is_dir() else 0o444)
        with Forked(child) as process:
            assert process.wait() == 0
            [said] = process.lines(timeout=1)
        for place in [data.root, *data.root.rglob("*")]:
            place.chmod(0o755)
        assert "Permission denied" in said
        assert tree(data.root) == before


def test_what_has_a_note_comes_back_with_it_or_not_at_all(data: DataDir, paths: RunPaths) -> None:
    change_mark(paths, NAME, lambda _: MilestoneMark(note="dribbles"))
    trashed = delete(paths, milestone(paths))
    paths.milestones_json.write_text("{")
    with pytest.raises(RltuiError, match="cannot be read"):
        restore(data, trashed)
    assert list_trash(data) == [trashed] and list_milestones(paths) == []
    paths.milestones_json.unlink()
    restore(data, trashed)
    assert read_marks(paths) == {NAME: MilestoneMark(note="dribbles")} and list_trash(data) == []


def test_restoring_never_goes_over_anything(data: DataDir, paths: RunPaths) -> None:
    trashed = delete(paths, milestone(paths))
    new = save_milestone(paths, 4, 5_000_000, "005M")
    before = tree(new)
    with pytest.raises(RltuiError, match="its place is taken"):
        restore(data, trashed)
    assert tree(new) == before
    assert list_trash(data) == [trashed]


def test_an_entry_that_names_another_place_is_not_followed(
    subtests: pytest.Subtests, data: DataDir, paths: RunPaths
) -> None:
    cases: list[str] = ["../outside", "/etc/outside", "runs/alpha", "checkpoints/beta/1", "checkpoints/alpha/../../x"]
    trashed = delete(paths, milestone(paths))
    for place in cases:
        with subtests.test(place=place):
            hostile = msgspec.structs.replace(trashed, place=place)
            with pytest.raises(RltuiError, match="which is no place of a saved state"):
                restore(data, hostile)
            assert trashed.folder.is_dir()


def test_garbage_in_the_trash_is_ignored_and_kept(data: DataDir, paths: RunPaths) -> None:
    trashed = delete(paths, milestone(paths))
    for name in ("nothing in it", "no folder", "no json"):
        (data.trash / "alpha" / name).mkdir()
    (data.trash / "alpha" / "no json" / "entry.json").write_bytes(b"\xff{")
    (data.trash / "alpha" / "no folder" / "entry.json").write_bytes(msgspec.json.encode(trashed))
    (data.trash / "notes.txt").write_text("mine")
    assert list_trash(data) == [trashed]
    assert empty_trash(data) == [trashed]
    assert (data.trash / "notes.txt").is_file()
    assert (data.trash / "alpha" / "no json").is_dir()


def test_emptying_removes_for_good_only_what_was_asked_for(data: DataDir, paths: RunPaths) -> None:
    one, other = delete(paths, milestone(paths)), delete(paths, list_checkpoints(paths)[0])
    assert empty_trash(data, [one]) == [one]
    assert list_trash(data) == [other]
    assert not Path(one.entry).exists()
    with pytest.raises(RltuiError, match="cannot restore"):
        restore(data, one)
    assert empty_trash(data) == [other]
    assert empty_trash(data) == []


def test_two_who_delete_the_same_at_once(data: DataDir, paths: RunPaths) -> None:
    """One wins, the other is told; it is in the trash once."""
    info = milestone(paths)
    said: list[object] = []

    def go() -> None:
        try:
            said.append(delete(paths, info))
        except RltuiError as error:
            said.append(error)

    threads = [threading.Thread(target=go) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(each).__name__ for each in said) == ["RltuiError", "Trashed"]
    assert len(list_trash(data)) == 1


def test_odd_names_of_phases_travel(data: DataDir, paths: RunPaths) -> None:
    phase = "Phase2-ünïcode name [x] 'q'"
    save_milestone(paths, 4, 12_345_678, "012.345678M", phase=phase)
    info = list_milestones(paths)[-1]
    trashed = delete(paths, info)
    assert list_trash(data) == [trashed]
    assert restore(data, trashed) == info.path


def test_strays_do_not_disturb(data: DataDir, paths: RunPaths) -> None:
    litter(data, paths)
    trashed = delete(paths, milestone(paths))
    restore(data, trashed)
    assert milestone(paths).damage is None


@pytest.fixture
def moved(data: DataDir, paths: RunPaths) -> Iterator[Trashed]:
    yield delete(paths, milestone(paths))


def test_an_entry_says_all_that_restoring_needs(data: DataDir, moved: Trashed) -> None:
    found = msgspec.json.decode((Path(moved.entry) / trash.ENTRY).read_bytes())
    assert found["place"] == f"checkpoints/milestones/alpha/{NAME}"
    assert found["entry"] == ""


def test_a_run_without_a_folder_of_its_own(data: DataDir) -> None:
    """Copied from another machine: checkpoints alone."""
    paths = data.run("copied")
    save(paths, 1, 1000)
    save(paths, 2, 2000)
    trashed = delete(paths, list_checkpoints(paths)[0])
    assert restore(data, trashed) == paths.checkpoint(1000)
