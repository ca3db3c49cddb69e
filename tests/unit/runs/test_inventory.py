"""The inventory of a run: checkpoints, milestones with their marks, unrecognised entries."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.runs import meta
from rltui.runs.checkpoint import write_checkpoint
from rltui.runs.inventory import (
    MilestoneMark,
    change_mark,
    complete_checkpoints,
    list_checkpoints,
    list_milestones,
    newest_commit,
    read_inventory,
    read_marks,
    unrecognised_among_runs,
)
from rltui.runs.keep import check_markable
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import prune
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import (
    STRAYS,
    litter,
    make_files,
    make_meta,
    make_run,
    place,
    save,
    save_milestone,
)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def paths(data: DataDir) -> RunPaths:
    found = make_run(data)
    save_milestone(found, 2, 5_000_000, "005M")
    save_milestone(found, 3, 5_000_000, "005M", phase="Phase2-Goals")
    return found


def test_nothing_that_lies_there_is_left_out(data: DataDir, paths: RunPaths) -> None:
    litter(data, paths)
    inventory = read_inventory(paths)
    listed = {info.path for info in (*inventory.milestones, *inventory.checkpoints)} | {
        stray.path for stray in inventory.unrecognised
    }
    phases = {paths.milestones / "Phase1-BallTouching", paths.milestones / "Phase2-Goals"}
    for folder in (paths.checkpoints, paths.milestones, *phases):
        assert set(folder.iterdir()) <= listed | phases
    assert all(stray.damage for stray in inventory.unrecognised)
    among_runs = {path for folder in (data.runs, data.checkpoints, data.milestones) for path in folder.iterdir()}
    strays = {stray.path for stray in unrecognised_among_runs(data)}
    assert among_runs - strays == {folder / "alpha" for folder in (data.runs, data.checkpoints, data.milestones)} | {
        data.milestones
    }
    assert {path.name for path in strays} >= set(STRAYS)


def test_a_saved_state_under_an_odd_name_says_what_it_holds(paths: RunPaths) -> None:
    odd = place(paths.milestones / "Phase1-BallTouching" / "best one", make_files(make_meta("alpha", 2, 7_000_000)))
    [stray] = read_inventory(paths).unrecognised
    assert (stray.path, stray.damage) == (odd, "its name is not <millions>M, as in 005M or 012.35M")
    assert (stray.kind, stray.timesteps, stray.usable) == ("unrecognised", 7_000_000, False)


def test_marks_trainer_and_parent(data: DataDir, paths: RunPaths) -> None:
    change_mark(paths, "Phase1-BallTouching/005M", lambda _: MilestoneMark(pinned=True))
    about = msgspec.structs.replace(make_meta("beta", 1, 9000), parent="alpha@5000000")
    beta = data.run("beta")
    place(beta.checkpoint(9000), make_files(about))
    with RunLock(paths):
        inventory = read_inventory(paths)
    assert inventory.trainer is not None
    assert {info.milestone: info.mark for info in inventory.states if info.mark != MilestoneMark()} == {
        "Phase1-BallTouching/005M": MilestoneMark(pinned=True)
    }
    assert (inventory.parent, read_inventory(beta).parent, read_inventory(data.run("none")).parent) == (
        None,
        "alpha@5000000",
        None,
    )
    paths.milestones_json.write_bytes(b"{")
    assert "cannot be read" in read_inventory(paths).problem


def test_sizes_are_those_of_the_files(paths: RunPaths) -> None:
    for info in read_inventory(paths).milestones:
        assert info.bytes == sum(path.stat().st_size for path in info.path.iterdir())
    (paths.checkpoint(1000) / "manifest.sha256").unlink()
    assert next(info for info in read_inventory(paths).checkpoints if info.damage).bytes is None


def test_no_mark_is_lost_when_two_write_at_once(paths: RunPaths) -> None:
    """Each of two processes notes thirty milestones."""

    def noting(first: int) -> Forked:
        def child(report: object) -> None:
            for number in range(first, first + 30):
                mark = MilestoneMark(note=str(number))
                change_mark(paths, f"Phase1-A/{number:03d}M", lambda _, mark=mark: mark)  # type: ignore[misc]

        return Forked(child)

    with noting(0) as one, noting(100) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    assert len(read_marks(paths)) == 60


def test_a_mark_that_says_nothing_is_left_out(paths: RunPaths) -> None:
    change_mark(paths, "Phase1-A/001M", lambda _: MilestoneMark(pinned=True))
    assert (
        change_mark(paths, "Phase1-A/001M", lambda mark: msgspec.structs.replace(mark, pinned=False)) == MilestoneMark()
    )
    assert read_marks(paths) == {}


def test_meta_that_is_damaged_is_named_in_one_look(paths: RunPaths) -> None:
    (paths.checkpoint(2000) / meta.NAME).write_bytes(b"x")
    broken = next(info for info in list_checkpoints(paths) if info.path.name == "2000")
    assert broken.meta is None
    assert broken.damage is not None
    assert broken.damage.startswith("meta.json is damaged")


def test_marks_are_kept_beside_each_other(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    assert read_marks(paths) == {}
    change_mark(paths, "Phase1-BallTouching/005M", lambda _: MilestoneMark(pinned=True, note="dribbles"))
    change_mark(paths, "Phase1-BallTouching/010M", lambda _: MilestoneMark(released=True))
    change_mark(paths, "Phase1-BallTouching/005M", lambda _: MilestoneMark(note="dribbles well"))
    assert read_marks(paths) == {
        "Phase1-BallTouching/005M": MilestoneMark(note="dribbles well"),
        "Phase1-BallTouching/010M": MilestoneMark(released=True),
    }
    assert [path.name for path in paths.folder.iterdir()] == ["milestones.json"]


def test_damaged_marks_are_left_alone(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    paths.milestones_json.write_bytes(b'{"marks": {"a": {"note": "cut of')
    with pytest.raises(RltuiError, match=r"milestones.json cannot be read"):
        change_mark(paths, "b", lambda _: MilestoneMark(pinned=True))
    assert paths.milestones_json.read_bytes() == b'{"marks": {"a": {"note": "cut of'


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


def test_of_one_state_the_checkpoint_comes_after_the_milestone(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=2)
    save_milestone(paths, 2, 2000, "000.002M")
    assert [info.name for info in complete_checkpoints(paths)] == [
        "checkpoint 1000",
        "milestone Phase1-BallTouching/000.002M",
        "checkpoint 2000",
    ]


def test_only_milestones_carry_marks(paths: RunPaths) -> None:
    check_markable(read_inventory(paths).milestones[0])
    with pytest.raises(RltuiError, match="checkpoints are replaced by newer ones"):
        check_markable(list_checkpoints(paths)[0])
