"""An act beside a trainer: it knows of one, also of one that came between the look and the lock, and keeps others away."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs import lock
from rltui.runs.lock import RunLock, lock_holder, no_new_trainer
from rltui.runs.paths import DataDir, RunPaths


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    return DataDir(tmp_path).run("alpha")


def test_while_it_lasts_no_trainer_starts(paths: RunPaths) -> None:
    with no_new_trainer(paths) as training:
        assert not training
        with pytest.raises(RltuiError, match="is being trained already"):
            RunLock(paths).acquire()
    with RunLock(paths), no_new_trainer(paths) as training:
        assert training


def test_a_trainer_that_comes_between_the_look_and_the_lock_is_one(
    paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was wanted is done beside it, as if it had been there all the time."""
    looks = iter([False])
    with RunLock(paths):
        monkeypatch.setattr(lock, "lock_holder", lambda run: lock_holder(run) if next(looks, True) else None)
        with no_new_trainer(paths) as training:
            assert training


def test_a_lock_that_cannot_be_taken_is_no_trainer(paths: RunPaths) -> None:
    paths.lock.mkdir(parents=True)
    with pytest.raises(RltuiError, match="cannot lock run 'alpha'"), no_new_trainer(paths):
        pytest.fail("the act was begun")
