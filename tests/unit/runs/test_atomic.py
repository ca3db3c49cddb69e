"""Faults on purpose: which point fails, at which pass, and how."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from rltui.errors import RltuiError
from rltui.runs import keep, trash
from rltui.runs.atomic import fault, make_folder, replace_file, sync_or_undo
from rltui.runs.inventory import change_mark, list_checkpoints, list_milestones
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.failing_disk import failing_fsync
from tests.fakes.saved_runs import make_run, save_milestone, tree, without_lock

SPEC = "RLTUI_FAULT"


def test_unset_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SPEC, raising=False)
    monkeypatch.setattr("rltui.runs.atomic._planned", None)  # a call costs one look into the environment
    assert [fault("save.write") for _ in range(3)] == [None] * 3


def test_the_nth_pass_of_a_matching_point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(SPEC, f"reward:nan:3,save.*:enospc:2,always:hang:*,{tmp_path}:x:1")
    assert [fault("reward") for _ in range(5)] == [None, None, "nan", None, None]
    assert [fault("always") for _ in range(3)] == ["hang"] * 3
    assert fault("save.create") is None
    with pytest.raises(OSError, match="No space left") as caught:
        fault("save.write")
    assert caught.value.errno == errno.ENOSPC
    assert fault("save.write") is None
    assert fault("other") is None


def test_the_count_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SPEC, "count_left_out:raise")
    with pytest.raises(RuntimeError, match="fault injected at count_left_out"):
        fault("count_left_out")
    assert fault("count_left_out") is None


def test_a_marker_makes_it_once_over_all_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    marker = tmp_path / "fired"
    monkeypatch.setenv(SPEC, f"worker:nan:*:{marker}")
    assert [fault("worker") for _ in range(3)] == ["nan", None, None]
    assert marker.exists()
    monkeypatch.setenv(SPEC, f"worker:nan:1:{marker}")  # as a restarted worker would count anew
    assert fault("worker") is None


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_deaths(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[str, signal.Signals]] = [
        ("kill", signal.SIGKILL),
        ("abort", signal.SIGABRT),
        ("segv", signal.SIGSEGV),
    ]
    for action, end in cases:
        with subtests.test(action=action, end=repr(end)):
            monkeypatch.setenv(SPEC, f"here:{action}:1")
            done = subprocess.run(
                [sys.executable, "-c", "from rltui.runs.atomic import fault; fault('here'); print('lived')"],
                capture_output=True,
            )
            assert (done.returncode, done.stdout) == (-end, b"")


def trashed(paths: RunPaths) -> trash.Trashed:
    return trash.delete(paths, list_milestones(paths)[0])


ACTS: dict[str, Callable[[RunPaths, Path], object]] = {
    "keep": lambda paths, out: keep.keep_checkpoint(paths, list_checkpoints(paths)[-1]),
    "export": lambda paths, out: keep.export_folder(list_milestones(paths)[0], out),
    "export the policy": lambda paths, out: keep.export_policy(list_milestones(paths)[0], out),
    "delete": lambda paths, out: trashed(paths),
    "restore": lambda paths, out: trash.restore(paths.data, trash.list_trash(paths.data)[0]),
    "mark": lambda paths, out: change_mark(paths, "Phase1-BallTouching/005M", lambda mark: replace(mark, pinned=True)),
    "file": lambda paths, out: replace_file(paths.profile, b"new"),
    "folder": lambda paths, out: make_folder(out),
}


def test_what_fails_has_changed_nothing_and_what_does_not_is_done(
    tmp_path: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that puts something in its place by one step: each fsync of it fails in turn."""
    for name, act in ACTS.items():
        with subtests.test(name):
            for nth in range(1, 100):
                folder = tmp_path / name / str(nth)
                paths = make_run(DataDir(folder / "data"), commits=2)
                save_milestone(paths, 1, 5_000_000, "005M")
                paths.profile.write_bytes(b"old")
                paths.lock.touch()
                if name == "restore":
                    trashed(paths)
                before = everything(folder)
                with failing_fsync(monkeypatch, nth) as failed:
                    try:
                        act(paths, folder / "out")
                        done = True
                    except (RltuiError, OSError):
                        done = False
                assert (everything(folder) != before) is done, f"fsync {nth}"
                if not failed:
                    assert done
                    break


def everything(folder: Path) -> tuple[dict[str, bytes], bool]:
    return without_lock(tree(folder)), (folder / "out").exists()


def test_what_cannot_be_taken_back_counts_as_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing_fsync(monkeypatch, 1) as failed:
        sync_or_undo("here", tmp_path, (tmp_path / "gone").rmdir)
    assert failed
