"""What a trainer is kept from while another process acts; which data folder a trainer cannot write in."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from queue import SimpleQueue

import pytest

from rltui.errors import RltuiError
from rltui.runs import lock
from rltui.runs.lock import (
    Holder,
    RunLock,
    check_writable,
    count_start,
    lock_holder,
    newest_start,
    no_new_trainer,
    start_number,
)
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.patience import patience
from tests.fakes.training import wait_for


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


@pytest.fixture
def elsewhere(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> RunPaths:
    """Trained by a process of another host, whose locks have no effect here."""
    paths.folder.mkdir(parents=True)
    paths.lock_json.write_text('{"pid": 7, "host": "tower", "since": 1.0}')
    paths.journal.touch()
    monkeypatch.setattr(lock, "BEAT", 0.02)
    return paths


def test_a_trainer_of_another_host_is_named_with_its_age_until_it_gives_no_sign_of_life(elsewhere: RunPaths) -> None:
    with pytest.raises(RltuiError) as refused:
        RunLock(elsewhere).acquire()
    words = refused.value.message + refused.value.hint
    assert all(word in words for word in ("pid 7 on tower", "journal written just now", "--take-over"))
    found = lock_holder(elsewhere)
    assert found is not None and found.by_name and (found.pid, found.host) == (7, "tower")
    with no_new_trainer(elsewhere) as training:
        assert training
    for file in (elsewhere.journal, elsewhere.lock_json):
        os.utime(file, (1.7e9, 1.7e9))
    assert lock_holder(elsewhere) is None
    with RunLock(elsewhere) as mine:
        assert "pid 7 on tower" in mine.notice and "no sign of life" in mine.notice
        assert "since" in elsewhere.lock_json.read_text()
    assert not elsewhere.lock_json.exists()


def test_its_clock_does_not_matter(elsewhere: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is an hour ahead: files tell by their own times that one lives."""
    monkeypatch.setattr("time.time", lambda: elsewhere.lock_json.stat().st_mtime + 3600)
    with pytest.raises(RltuiError, match="tower"):
        RunLock(elsewhere).acquire()


def test_who_is_taken_over_notices_it_and_leaves_the_lock_to_the_other(elsewhere: RunPaths) -> None:
    with RunLock(elsewhere, take_over=True) as mine:
        assert "--take-over" in mine.notice
        noticed: SimpleQueue[Holder] = SimpleQueue()
        mine.watch(noticed.put)
        before = elsewhere.lock_json.stat().st_mtime_ns
        wait_for(lambda: elsewhere.lock_json.stat().st_mtime_ns > before, "a sign of life")
        elsewhere.lock_json.write_text('{"pid": 8, "host": "tower", "since": 2.0}')
        assert noticed.get(timeout=patience(10)) == Holder(8, "tower", 2.0)
    assert "tower" in elsewhere.lock_json.read_text()


def test_a_take_over_leaves_its_name_to_the_start_that_follows(elsewhere: RunPaths) -> None:
    with RunLock(elsewhere, take_over=True):
        named = elsewhere.lock_json.read_text()
    assert elsewhere.lock_json.read_text() == named
    with RunLock(elsewhere):
        pass
    assert not elsewhere.lock_json.exists()


def test_a_name_that_has_gone_is_written_again_unless_another_has_started_meanwhile(elsewhere: RunPaths) -> None:
    """It goes with a trainer of another host that took it for stale: refused later, or ended."""
    noticed: SimpleQueue[Holder] = SimpleQueue()
    with RunLock(elsewhere, take_over=True) as mine:
        count_start(elsewhere)
        mine.watch(noticed.put)
        elsewhere.lock_json.unlink()
        wait_for(elsewhere.lock_json.exists, "its name again")
        assert noticed.empty()
        count_start(elsewhere)
        elsewhere.lock_json.unlink(missing_ok=True)
        noticed.get(timeout=patience(10))


def test_starts_are_counted_over_all_runs(paths: RunPaths) -> None:
    data, other = paths.data, paths.data.run("beta")
    assert (newest_start(data), start_number(paths)) == (0, 0)
    assert [count_start(run) for run in (paths, other, paths)] == [1, 2, 3]
    assert (newest_start(data), start_number(paths), start_number(other)) == (3, 3, 2)
    paths.start.write_bytes(b"\xff" * 40)
    assert start_number(paths) == 0 and count_start(paths) == 3


def test_a_lock_that_cannot_be_taken_is_no_trainer(paths: RunPaths) -> None:
    paths.lock.mkdir(parents=True)
    with pytest.raises(RltuiError, match="cannot lock run 'alpha'"), no_new_trainer(paths):
        pytest.fail("the act was begun")


def test_the_advice_is_of_the_kind(subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[int, str, str]] = [
        (errno.ENOSPC, "No space left on device", "make room on that disk, or choose another data folder"),
        (errno.EDQUOT, "Disk quota exceeded", "your quota on that disk is used up"),
        (errno.EROFS, "Read-only file system", "mount that disk writable"),
        (errno.EIO, "Input/output error", "repair it, or choose another data folder"),
        (errno.EACCES, "Permission denied (it belongs to", "the right to write there"),
    ]
    for code, words, advice in cases:
        with subtests.test(code=code, words=words):

            def refuse(path: Path, content: bytes, code: int = code) -> int:
                raise OSError(code, os.strerror(code), str(path))

            monkeypatch.setattr(Path, "write_bytes", refuse)
            with pytest.raises(RltuiError) as caught:
                check_writable(DataDir(tmp_path / "data"))
            assert caught.value.message.startswith(f"cannot write in {tmp_path / 'data'}: {words}")
            assert advice in (caught.value.hint or "") and "--data-dir DIR" in (caught.value.hint or "")
            assert ("belongs to" in caught.value.message) == (code == errno.EACCES)
