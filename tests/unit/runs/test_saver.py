"""The saver thread and pruning: what is saved, replaced, set aside and pruned."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.checkpoint import damage, verify
from rltui.runs.inventory import (
    complete_checkpoints,
    list_checkpoints,
    list_milestones,
)
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import (
    MOST_ASKED,
    MOST_MILESTONES,
    MilestoneClock,
    SaveJob,
    Saver,
    SaveResult,
    clean_temporary,
    prune,
)
from rltui.runs.summary import describe_runs
from tests.fakes.failing_disk import failing_fsync
from tests.fakes.saved_runs import SIGNATURE, litter, make_files, make_meta, make_run, save, save_milestone, tree


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    return make_run(DataDir(tmp_path), commits=0)


def checkpoint_job(paths: RunPaths, commit: int) -> SaveJob:
    about = make_meta("alpha", commit, commit * 1000)
    return SaveJob("checkpoint", paths.checkpoint(commit * 1000), commit * 1000, lambda: make_files(about))


def milestone_job(paths: RunPaths, commit: int, timesteps: int, label: str, asked: bool = False) -> SaveJob:
    about = make_meta("alpha", commit, timesteps)
    folder = paths.milestones / "Phase1-BallTouching" / label
    return SaveJob("milestone", folder, timesteps, lambda: make_files(about), label, asked)


class Gate:
    """A job that begins and waits."""

    def __init__(self, paths: RunPaths) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        self._job = checkpoint_job(paths, 1)

    def job(self) -> SaveJob:
        return SaveJob("checkpoint", self._job.folder, self._job.timesteps, self._files)

    def _files(self) -> Mapping[str, bytes]:
        self.begun.set()
        assert self.open.wait(10)
        return self._job.files()


def test_jobs_are_done_in_order_off_the_calling_thread_and_then_pruned(paths: RunPaths) -> None:
    results: list[tuple[str, SaveResult]] = []
    saver = Saver(paths, 2, lambda result: results.append((threading.current_thread().name, result)))
    for commit in range(1, 5):
        saver.submit(checkpoint_job(paths, commit))
        assert saver.drain(10)
    assert saver.close(10)
    assert {name for name, _ in results} == {"saver"}
    assert [(result.outcome, result.timesteps) for _, result in results] == [
        ("saved", commit * 1000) for commit in range(1, 5)
    ]
    last = results[-1][1]
    assert last.pruned == (paths.checkpoint(2000),)
    assert last.bytes == sum(path.stat().st_size for path in last.path.iterdir())
    assert 0 < last.seconds < 10
    assert [info.commit for info in list_checkpoints(paths)] == [3, 4]


def test_a_waiting_checkpoint_gives_way_to_a_newer_one_a_milestone_does_not(paths: RunPaths) -> None:
    results: list[SaveResult] = []
    gate, saver = Gate(paths), Saver(paths, 5, results.append)
    saver.submit(gate.job())
    assert gate.begun.wait(10)
    saver.submit(checkpoint_job(paths, 2))
    saver.submit(milestone_job(paths, 3, 5_000_000, "005M"))
    saver.submit(checkpoint_job(paths, 4))
    assert saver.waiting == 3
    assert not saver.drain(0.01)
    gate.open.set()
    assert saver.close(10)
    assert [(result.outcome, result.path.name) for result in results] == [
        ("replaced", "2000"),
        ("saved", "1000"),
        ("saved", "005M"),
        ("saved", "4000"),
    ]
    assert saver.waiting == 0


def test_under_a_failing_fsync_what_is_said_is_what_is_there(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fsync of a save in turn, the parent's behind the rename among them. List, resume and prune see the same."""
    for commit in (1, 2, 3):
        save(paths, commit, commit * 1000)
    before, said = tree(paths.checkpoints), []
    for nth in range(1, 100):
        results: list[SaveResult] = []
        with failing_fsync(monkeypatch, nth) as failed:
            saver = Saver(paths, 2, results.append)
            saver.submit(checkpoint_job(paths, 4))
            assert saver.close(10)
        [result] = results
        said.append(result.outcome)
        saved = result.outcome == "saved"
        assert [info.commit for info in list_checkpoints(paths)] == ([3, 4] if saved else [1, 2, 3]), nth
        plan = plan_launch(StartRequest(paths.data, SIGNATURE, "quick", run="alpha"))
        assert plan.timesteps == (4000 if saved else 3000)
        if not failed:
            break
        assert saved or tree(paths.checkpoints) == before
        assert not list(paths.data.root.rglob(".saving-*"))
    assert said == [*["failed"] * (len(said) - 1), "saved"] and len(said) > 10


@pytest.fixture
def hung(paths: RunPaths) -> Iterator[tuple[Gate, Saver, list[SaveResult]]]:
    """A saver whose disk has taken nothing since its first job."""
    results: list[SaveResult] = []
    gate, saver = Gate(paths), Saver(paths, 5, results.append)
    saver.submit(gate.job())
    assert gate.begun.wait(10)
    yield gate, saver, results
    gate.open.set()
    assert saver.close(10)


def test_on_a_hung_disk_a_few_milestones_wait_and_the_oldest_give_way(
    paths: RunPaths, hung: tuple[Gate, Saver, list[SaveResult]]
) -> None:
    """Each holds a copy of the nets in memory: a night of them is gigabytes."""
    gate, saver, results = hung
    for number in range(1, 101):
        saver.submit(milestone_job(paths, number, number * 5_000_000, f"{5 * number:03d}M", asked=number == 50))
        assert saver.waiting <= 1 + MOST_MILESTONES + 1
    gone = [result.label for result in results]
    assert gone == [f"{5 * number:03d}M" for number in range(1, 98) if number != 50], (
        "oldest first, not the one asked for"
    )
    assert {result.outcome for result in results} == {"failed"}
    assert all("dropped for newer milestones" in result.reason for result in results)
    gate.open.set()
    assert saver.drain(10)
    assert [result.label for result in results if result.outcome == "saved"] == ["", "250M", "490M", "495M", "500M"]


def test_those_asked_for_are_refused_beyond_a_number_and_none_that_waits_is_lost(
    paths: RunPaths, hung: tuple[Gate, Saver, list[SaveResult]]
) -> None:
    gate, saver, results = hung
    for number in range(1, MOST_ASKED + 3):
        saver.submit(milestone_job(paths, number, number * 1000, f"000.{number:03d}M", asked=True))
    assert [result.timesteps for result in results] == [(MOST_ASKED + 1) * 1000, (MOST_ASKED + 2) * 1000]
    assert "already wait for it" in results[0].reason
    gate.open.set()
    assert saver.drain(10)
    saved = [result.timesteps for result in results if result.outcome == "saved" and result.kind == "milestone"]
    assert saved == [number * 1000 for number in range(1, MOST_ASKED + 1)]


def test_a_milestone_whose_state_is_asked_for_does_not_give_way(
    paths: RunPaths, hung: tuple[Gate, Saver, list[SaveResult]]
) -> None:
    """Who asked is answered once for the state, by whichever copy is done first."""
    _, saver, results = hung
    saver.submit(milestone_job(paths, 1, 5_000_100, "005M"))
    saver.submit(milestone_job(paths, 1, 5_000_100, "005.0001M", asked=True))
    for number in range(2, 6):
        saver.submit(milestone_job(paths, number, number * 5_000_000, f"{5 * number:03d}M"))
    assert [result.label for result in results] == ["010M", "015M"]


def test_submitting_does_not_wait(paths: RunPaths) -> None:
    gate, saver = Gate(paths), Saver(paths, 5, lambda result: None)
    saver.submit(gate.job())
    saver.submit(checkpoint_job(paths, 2))  # returns though the first one cannot end
    gate.open.set()
    assert saver.close(10)
    with pytest.raises(RuntimeError, match="closed"):
        saver.submit(checkpoint_job(paths, 3))


def test_a_listener_that_raises_does_not_end_saving(paths: RunPaths, capfd: pytest.CaptureFixture[str]) -> None:
    told = []

    def listener(result: SaveResult) -> None:
        told.append(result.timesteps)
        raise RuntimeError("publisher is gone")

    saver = Saver(paths, 5, listener)
    for commit in (1, 2):
        saver.submit(checkpoint_job(paths, commit))
        assert saver.drain(10)
    assert saver.close(10)
    assert told == [1000, 2000]
    assert "publisher is gone" in capfd.readouterr().err


def test_the_same_state_twice_is_present(paths: RunPaths) -> None:
    """A stop right after a periodic save, or the save before the first iteration of a resume."""
    results: list[SaveResult] = []
    saver = Saver(paths, 5, results.append)
    for _ in range(2):
        saver.submit(checkpoint_job(paths, 1))
        assert saver.drain(10)
    saver.submit(milestone_job(paths, 1, 1000, "000.001M")), saver.submit(milestone_job(paths, 1, 1000, "000.001M"))
    assert saver.close(10)
    assert [result.outcome for result in results] == ["saved", "present", "saved", "present"]


def test_another_state_under_the_same_number_is_never_overwritten(paths: RunPaths) -> None:
    results: list[SaveResult] = []
    save(paths, 7, 1000)
    before = (paths.checkpoint(1000) / "policy.npz").read_bytes()
    saver = Saver(paths, 5, results.append)
    saver.submit(checkpoint_job(paths, 1))
    assert saver.close(10)
    assert results[0].outcome == "failed" and "another state is there already" in results[0].reason
    assert (paths.checkpoint(1000) / "policy.npz").read_bytes() == before


def test_a_label_taken_by_another_line_gets_the_exact_one(paths: RunPaths) -> None:
    """Killed between milestone and checkpoint: the boundary is crossed a second time, by another state."""
    save_milestone(paths, 7, 5_010_000, "005M")
    results: list[SaveResult] = []
    saver = Saver(paths, 5, results.append)
    saver.submit(milestone_job(paths, 8, 5_012_000, "005M"))
    assert saver.close(10)
    assert (results[0].outcome, results[0].label, results[0].path.name) == ("saved", "005.012M", "005.012M")
    assert [info.milestone for info in list_milestones(paths)] == [
        "Phase1-BallTouching/005M",
        "Phase1-BallTouching/005.012M",
    ]


def test_one_with_a_flipped_bit_is_set_aside_and_saved_again(paths: RunPaths) -> None:
    folder = save(paths, 1, 1000)
    content = bytearray((folder / "PPO_POLICY.pt").read_bytes())
    content[0] ^= 1
    (folder / "PPO_POLICY.pt").write_bytes(content)
    results: list[SaveResult] = []
    saver = Saver(paths, 5, results.append)
    saver.submit(checkpoint_job(paths, 1))
    assert saver.close(10)
    assert results[0].outcome == "saved" and results[0].set_aside is not None
    verify(folder)
    assert damage(results[0].set_aside, thorough=True) is not None


def test_a_fault_in_pruning_is_told_and_the_save_counts(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("odd")

    monkeypatch.setattr("rltui.runs.saver.prune", broken)
    results: list[SaveResult] = []
    saver = Saver(paths, 5, results.append)
    saver.submit(checkpoint_job(paths, 1))
    assert saver.close(10)
    assert results[0].outcome == "saved" and "odd" in results[0].reason


def test_strays_change_nothing(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    paths = make_run(data, commits=3)
    save_milestone(paths, 2, 5_000_000, "005M")
    before = (list_checkpoints(paths), list_milestones(paths), describe_runs(data))
    litter(data, paths)
    assert (list_checkpoints(paths), list_milestones(paths), describe_runs(data)) == before
    strays = {name: content for name, content in tree(tmp_path).items() if content.startswith((b"stray", b"a file"))}
    assert plan_launch(StartRequest(data, SIGNATURE, "quick")).checkpoint == paths.checkpoint(3000)
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
        500: "no manifest.sha256: half copied, or not saved by rltui (rlgym-ppo's: rltui import)",
        1000: "no manifest.sha256: half copied, or not saved by rltui (rlgym-ppo's: rltui import)",
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


def test_milestones_after_a_resume() -> None:
    clock = MilestoneClock(5_000_000, last=12_431_360)
    assert clock.crossed(14_999_999) is None
    assert clock.crossed(15_000_001) == "015M"
    at_boundary = MilestoneClock(5_000_000, last=5_000_000)
    assert at_boundary.crossed(5_000_000) is None
    with pytest.raises(RltuiError, match="at least 1"):
        MilestoneClock(0)
