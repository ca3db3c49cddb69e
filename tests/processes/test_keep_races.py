"""A checkpoint kept while it is removed, and killed at every instant: the milestone is whole, or there is none."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.checkpoint import damage, read_checkpoint
from rltui.runs.inventory import CheckpointInfo, list_checkpoints, list_milestones
from rltui.runs.keep import keep_checkpoint
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import clean_temporary, prune
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import make_files, make_meta, make_run, place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def killed_at(paths: RunPaths, source: CheckpointInfo, nth: int) -> int:
    """The exit status of a process that keeps it and is killed at its nth step, if it takes that many."""

    def child(_: Callable[[str], None]) -> None:
        os.environ["RLTUI_FAULT"] = f"save*:kill:{nth}"
        keep_checkpoint(paths, source)

    with Forked(child) as process:
        return process.wait()


def test_killed_at_every_point(disk: Path) -> None:
    outcomes = []
    for nth in range(1, 100):
        paths = make_run(DataDir(disk / str(nth)), commits=2)
        source = list_checkpoints(paths)[0]
        status = killed_at(paths, source, nth)
        assert status in (0, -signal.SIGKILL)
        milestones = list_milestones(paths)
        assert [damage(info.path, thorough=True) for info in milestones] == [None] * len(milestones)
        outcomes.append(len(milestones))
        assert [info.timesteps for info in list_checkpoints(paths)] == [1000, 2000]
        with RunLock(paths):
            clean_temporary(paths)
        assert not list(paths.data.root.rglob(".saving-*"))
        kept = keep_checkpoint(paths, source)
        assert kept.present is bool(milestones)
        if status == 0:
            break
    assert status == 0 and set(outcomes) == {0, 1}


def test_a_trainer_prunes_meanwhile(disk: Path) -> None:
    """It saves and prunes as fast as it can, the lock held; each checkpoint is kept as soon as it is seen."""
    paths = make_run(DataDir(disk), commits=1)
    over = threading.Event()

    def train() -> None:
        for commit in itertools.count(2):
            if over.is_set():
                return
            place(paths.staging / "new", make_files(make_meta("alpha", commit, commit * 1000), 50_000))
            paths.checkpoints.mkdir(exist_ok=True)
            (paths.staging / "new").rename(paths.checkpoint(commit * 1000))
            prune(paths, 1)

    kept, refused = 0, list[str]()
    with RunLock(paths):
        trainer = threading.Thread(target=train)
        trainer.start()
        try:
            while kept < 20 or (not refused and kept < 300):
                for info in list_checkpoints(paths):
                    try:
                        kept += not keep_checkpoint(paths, info).present
                    except RltuiError as error:
                        refused.append(error.message)
        finally:
            over.set()
            trainer.join()
    milestones = list_milestones(paths)
    assert len(milestones) == kept
    assert [damage(info.path, thorough=True) for info in milestones] == [None] * kept
    assert all(read_checkpoint(info.path)["meta.json"] for info in milestones)
    assert all("is gone" in reason for reason in refused)
