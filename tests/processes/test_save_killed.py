"""F1: SIGKILL at every instant of a save, and at random ones. Whatever is listed then is whole, and nothing good is gone."""

from __future__ import annotations

import os
import random
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.runs.checkpoint import damage, read_checkpoint, write_checkpoint
from rltui.runs.inventory import list_checkpoints, newest_commit
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import SaveJob, Saver, SaveResult, clean_temporary, prune
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import SIGNATURE, make_files, make_meta, make_run, save

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


SIZE = 300_000  # bytes a net: two writes a file
KEEP = 2


def save_fourth(paths: RunPaths) -> None:
    write_checkpoint(paths.checkpoint(4000), make_files(make_meta("alpha", 4, 4000), SIZE), paths.staging)
    prune(paths, KEEP)


def killed_at(paths: RunPaths, spec: str) -> int:
    def child(_: Callable[[str], None]) -> None:
        os.environ["RLTUI_FAULT"] = spec
        save_fourth(paths)

    with Forked(child) as process:
        return process.wait()


def check_nothing_is_broken(data: DataDir, paths: RunPaths, least_commit: int) -> int:
    """Every listed checkpoint is whole to the last byte, the newest is the one due, rlgym-ppo could read the folder."""
    infos = list_checkpoints(paths)
    assert all(name.isdigit() for name in (path.name for path in paths.checkpoints.iterdir()))
    assert [damage(info.path, thorough=True) for info in infos] == [None] * len(infos)
    newest = infos[-1]
    assert newest.commit is not None and newest.commit >= least_commit
    assert (
        read_checkpoint(newest.path)["meta.json"]
        == make_files(make_meta("alpha", newest.commit, newest.timesteps))["meta.json"]
    )
    assert plan_launch(StartRequest(data, SIGNATURE, "quick")).checkpoint == newest.path
    return newest.commit


def leftovers(data: DataDir) -> list[Path]:
    return list(data.root.rglob(".saving-*"))


def test_killed_at_every_point_of_a_save_and_prune(disk: Path) -> None:
    commits = []
    for nth in range(1, 200):
        data = DataDir(disk / str(nth))
        paths = make_run(data, commits=3)
        status = killed_at(paths, f"*:kill:{nth}")
        if status == 0:
            break
        assert status == -signal.SIGKILL
        commits.append(check_nothing_is_broken(data, paths, least_commit=3))
        clean_temporary(paths)
        assert leftovers(data) == []
        save_fourth(paths) if newest_commit(paths) == 3 else prune(paths, KEEP)
        assert [info.commit for info in list_checkpoints(paths)] == [3, 4]
    assert len(commits) >= 30, (
        "mkdir, 8 files × (create, writes, fsync), manifest, rename, fsync of both folders, prune"
    )
    assert set(commits) == {3, 4}
    assert commits == sorted(commits), "once in place it never leaves again"


def test_killed_at_random_times(disk: Path) -> None:
    """A trainer that saves as fast as it can, killed 20 times and started again each time: at most one save is lost."""
    data, chance = DataDir(disk), random.Random(7)
    paths = make_run(data, commits=3)
    awaited = saved = 0
    for _ in range(20):
        first = newest_commit(paths) + 1

        def trainer(report: Callable[[str], None], first: int = first) -> None:
            clean_temporary(paths)
            assert leftovers(data) == []
            report("cleaned")

            def told(result: SaveResult) -> None:
                report(f"{result.outcome} {result.timesteps // 1000}")

            saver = Saver(paths, KEEP, told)
            for commit in range(first, first + 1000):
                meta = make_meta("alpha", commit, commit * 1000)
                saver.submit(
                    SaveJob(
                        "checkpoint",
                        paths.checkpoint(commit * 1000),
                        commit * 1000,
                        lambda m=meta: make_files(m, 20_000),
                    )
                )
                saver.drain()

        with Forked(trainer) as process:
            reported = process.lines(1 + chance.randrange(3))[1:]
            awaited += len(reported)
            select.select([], [], [], chance.uniform(0.0, 0.01))
            process.kill()
            assert process.wait() == -signal.SIGKILL
            reported += process.lines(timeout=1)
        assert all(line.startswith("saved ") for line in reported)
        newest_told = max([first - 1, *(int(line.split()[1]) for line in reported)])
        saved += newest_told - first + 1
        assert check_nothing_is_broken(data, paths, newest_told) <= newest_told + 1
    assert saved >= awaited > 10, "most kills come after a save or more, some during the first"


def test_killed_while_replacing_a_small_file_and_the_same_commit_is_not_saved_over(tmp_path: Path) -> None:
    """milestones.json and lock.json are the old or the new one, never a part. After a kill between rename and the answer, the same state is simply there."""
    from rltui.runs.atomic import replace_file

    target = tmp_path / "milestones.json"
    replace_file(target, b"old")
    for nth in range(1, 20):

        def child(_: Callable[[str], None], nth: int = nth) -> None:
            os.environ["RLTUI_FAULT"] = f"file.*:kill:{nth}"
            replace_file(target, b"new and longer")

        with Forked(child) as process:
            status = process.wait()
        assert target.read_bytes() == (b"new and longer" if status == 0 else b"old")
        if status == 0:
            break
    assert nth == 5  # killed at create, write, fsync, rename; the fifth time it lives

    data = DataDir(tmp_path)
    paths = make_run(data, commits=3)
    results: list[SaveResult] = []
    saver = Saver(paths, KEEP, results.append)
    before = (save(paths, 4, 4000) / "policy.npz").stat().st_mtime_ns
    saver.submit(
        SaveJob(
            "checkpoint",
            paths.checkpoint(4000),
            4000,
            lambda: (
                make_files(make_meta("alpha", 5, 4000))
                | {"policy.npz": (paths.checkpoint(4000) / "policy.npz").read_bytes()}
            ),
        )
    )
    assert saver.close(10)
    assert [result.outcome for result in results] == ["present"]
    assert (paths.checkpoint(4000) / "policy.npz").stat().st_mtime_ns == before
