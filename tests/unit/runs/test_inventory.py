"""The inventory of a run, and which saved state a person means."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.runs import meta
from rltui.runs.inventory import (
    MilestoneMark,
    change_mark,
    list_checkpoints,
    read_inventory,
    read_marks,
    unrecognised_among_runs,
)
from rltui.runs.keep import check_markable
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resolve import find_checkpoint, newest_sound_before
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import STRAYS, litter, make_files, make_meta, make_run, place, save_milestone


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
    assert all(stray.reason for stray in inventory.unrecognised)
    among_runs = {path for folder in (data.runs, data.checkpoints, data.milestones) for path in folder.iterdir()}
    strays = {stray.path for stray in unrecognised_among_runs(data)}
    assert among_runs - strays == {folder / "alpha" for folder in (data.runs, data.checkpoints, data.milestones)} | {
        data.milestones
    }
    assert {path.name for path in strays} >= set(STRAYS)


def test_a_saved_state_under_an_odd_name_says_what_it_holds(paths: RunPaths) -> None:
    odd = place(paths.milestones / "Phase1-BallTouching" / "best one", make_files(make_meta("alpha", 2, 7_000_000)))
    [stray] = read_inventory(paths).unrecognised
    assert (stray.path, stray.reason) == (odd, "its name is not <millions>M, as in 005M or 012.35M")
    assert stray.info is not None
    assert stray.info.timesteps == 7_000_000


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


def test_by_name(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str]] = [
        ("alpha/1000", "checkpoint 1000"),
        ("alpha/Phase2-Goals/005M", "milestone Phase2-Goals/005M"),
        ("alpha/Phase2-Goals/005M/", "milestone Phase2-Goals/005M"),
    ]
    for text, found in cases:
        with subtests.test(text=text, found=found):
            run, info = find_checkpoint(data, text)
            assert (run.name, info.name) == ("alpha", found)


def test_by_folder(data: DataDir, paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = paths.milestones / "Phase2-Goals/005M"
    assert find_checkpoint(data, str(folder))[1].path == folder
    monkeypatch.chdir(folder.parent)
    assert find_checkpoint(data, "005M")[1].path == folder


def test_what_is_not_there_is_said_with_what_is_near(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str, int]] = [
        ("alpha/005M", "may be Phase1-BallTouching/005M or Phase2-Goals/005M", 2),
        ("alpha/05M", "has no saved state '05M'", 1),
        ("alphq/005M", "there is no such saved state", 1),
        ("alpha", "alpha is a run, and which of its saved states is meant is not said", 2),
        ("", "there is no such saved state", 1),
        ("../x/y", "there is no such saved state", 1),
        ("milestones/x", "there is no such saved state", 1),
    ]
    for text, message, code in cases:
        with subtests.test(text=text, message=message):
            with pytest.raises(RltuiError, match=message) as refused:
                find_checkpoint(data, text)
            assert refused.value.exit_code == code


def test_what_to_type_instead_is_said(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str]] = [
        ("alpha/05M", 'did you mean "alpha/005M"?\nthose it has: rltui milestones list alpha'),
        (
            "alphq/005M",
            'did you mean "alpha/005M"?\nwrite RUN/MILESTONE, as in alpha/Phase2-Goals/005M; rltui milestones lists them',
        ),
        ("alpha", "its newest: pin alpha/Phase2-Goals/005M\nall: rltui milestones list alpha"),
        ("alpha/005M", "type one of:\n  pin alpha/Phase1-BallTouching/005M\n  pin alpha/Phase2-Goals/005M"),
        ("Phase2-Goals/005M", "type: pin alpha/Phase2-Goals/005M"),
        ("2000", "type: pin alpha/2000"),
    ]
    for text, hint in cases:
        with subtests.test(text=text, hint=hint):
            with pytest.raises(RltuiError) as refused:
                find_checkpoint(data, text, lambda state: f"pin {state}")
            assert refused.value.hint == hint


def test_a_milestone_without_its_run_is_offered_with_each_run_that_has_it(data: DataDir, paths: RunPaths) -> None:
    save_milestone(data.run("beta"), 1, 11_100_000, "011.1M")
    with pytest.raises(RltuiError, match=r"011\.1M: RUN/ is missing before it; beta has it") as one:
        find_checkpoint(data, "011.1M", lambda state: f"rltui milestones pin {state}")
    assert one.value.hint == "type: rltui milestones pin beta/Phase1-BallTouching/011.1M"
    assert one.value.exit_code == 2
    for number in range(9):
        save_milestone(data.run(f"run{number}"), 1, 11_100_000, "011.1M")
    with pytest.raises(RltuiError, match="10 saved states are called so") as several:
        find_checkpoint(data, "011.1M", str)
    first, *commands, last = several.value.hint.splitlines()
    assert (first, len(commands), last) == ("type one of:", 8, "and 2 more: rltui milestones lists them")


def test_the_previous_good_one_is_sound_to_the_last_byte(paths: RunPaths) -> None:
    third = list_checkpoints(paths)[-1]
    second = paths.checkpoint(2000) / "policy.npz"
    found = newest_sound_before(paths, third)
    assert found is not None
    assert found.commit == 3, "a milestone of the same state is as good"
    for folder in (
        paths.milestones / "Phase2-Goals/005M",
        paths.milestones / "Phase1-BallTouching/005M",
        paths.checkpoint(2000),
    ):
        content = bytearray((folder / "policy.npz").read_bytes())
        content[3] ^= 1
        (folder / "policy.npz").write_bytes(content)
    found = newest_sound_before(paths, third)
    assert found is not None
    assert found.path == paths.checkpoint(1000), second
    assert newest_sound_before(paths, list_checkpoints(paths)[0]) is None


def test_only_milestones_carry_marks(paths: RunPaths) -> None:
    check_markable(read_inventory(paths).milestones[0])
    with pytest.raises(RltuiError, match="checkpoints are replaced by newer ones"):
        check_markable(list_checkpoints(paths)[0])


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
