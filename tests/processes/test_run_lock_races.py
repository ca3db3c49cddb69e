"""F23: two trainers on one run. Exactly one wins; the other names it and writes nothing."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.lock import Holder, RunLock, _try_lock, lock_holder
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def racer(paths: RunPaths, gun: int) -> Callable[[Callable[[str], None]], None]:
    """Waits for the gun (end of file on a pipe), tries, tells, and holds until killed."""

    def run(report: Callable[[str], None]) -> None:
        lock = RunLock(paths)
        report("ready")
        os.read(gun, 1)
        try:
            lock.acquire()
        except RltuiError as error:
            report(f"lost {error.exit_code} {error.message}")
            return
        report(f"won {os.getpid()}")
        select.select([], [], [])

    return run


def test_ten_races(tmp_path: Path) -> None:
    """In every second one lock.json of a killed trainer lies about."""
    for race in range(10):
        paths = DataDir(tmp_path).run(f"run{race}")
        paths.folder.mkdir(parents=True)
        if race % 2:
            paths.lock_json.write_text(f'{{"pid": {dead_pid()}, "host": "{socket.gethostname()}", "since": 1.0}}')
        gun, trigger = os.pipe()

        def run(report: Callable[[str], None], paths: RunPaths = paths, gun: int = gun, trigger: int = trigger) -> None:
            os.close(trigger)
            racer(paths, gun)(report)

        with Forked(run) as one, Forked(run) as other:
            assert one.lines(1) == other.lines(1) == ["ready"]
            os.close(trigger)
            os.close(gun)
            told = sorted([(one.lines(1)[0], one.pid), (other.lines(1)[0], other.pid)])
            (lost, _), (won, winner) = told
            assert won == f"won {winner}"
            assert re.fullmatch(
                rf"lost 1 run 'run{race}' is being trained already: pid {winner} on {re.escape(socket.gethostname())}"
                r" since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC",
                lost,
            )
            assert sorted(tree(paths.folder)) == ["lock", "lock.json"]
            found = lock_holder(paths)
            assert found is not None and found.pid == winner
        assert lock_holder(paths) is None


def test_a_killed_trainer_frees_its_lock_though_its_child_lives(tmp_path: Path) -> None:
    """Workers must not inherit the lock."""
    paths = DataDir(tmp_path).run("alpha")

    def trainer(report: Callable[[str], None]) -> None:
        RunLock(paths).acquire()
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
        report(str(child.pid))
        select.select([], [], [])

    with Forked(trainer) as process:
        child = int(process.lines(1)[0])
        try:
            assert lock_holder(paths) is not None
            process.kill()
            process.wait()
            os.kill(child, 0)
            assert lock_holder(paths) is None
            with RunLock(paths) as lock:
                assert lock.held
        finally:
            os.kill(child, signal.SIGKILL)


def test_readers_who_ask_never_keep_a_trainer_out(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    with RunLock(paths):
        pass

    def reader(report: Callable[[str], None]) -> None:
        report("asking")
        while True:
            lock_holder(paths)

    with Forked(reader) as one, Forked(reader) as other:
        one.lines(1), other.lines(1)
        for _ in range(20):
            with RunLock(paths) as lock:
                assert lock.held


def test_the_holder_is_told_unless_dead_or_garbled_and_forgotten(tmp_path: Path) -> None:
    """The winner has the lock and has not written its name yet."""
    paths = DataDir(tmp_path).run("alpha")
    assert lock_holder(paths) is None
    lock = RunLock(paths)
    lock.acquire()
    lock.acquire()  # once more is no matter
    found = lock_holder(paths)
    assert found is not None
    assert (found.pid, found.host) == (os.getpid(), socket.gethostname())
    with pytest.raises(RltuiError, match=f"pid {os.getpid()} on"):
        RunLock(paths).acquire()
    lock.release()
    lock.release()
    assert lock_holder(paths) is None
    assert not paths.lock_json.exists()
    assert str(Holder()) == "pid unknown on unknown host"

    paths = DataDir(tmp_path).run("alpha")
    with RunLock(paths):
        paths.lock_json.write_text(f'{{"pid": {dead_pid()}, "host": "{socket.gethostname()}", "since": 1.0}}')
        assert lock_holder(paths) == Holder()
        paths.lock_json.write_text('{"pid": 1, "host": "another host", "since": 1.0}')
        assert lock_holder(paths) == Holder(1, "another host", 1.0)

    paths = DataDir(tmp_path).run("beta")
    for content in (b"", b"\x80\x04N.", b"[]", b'{"pid": "x"}', b"[" * 100_000):
        with RunLock(paths):
            paths.lock_json.write_bytes(content)
            assert lock_holder(paths) == Holder()
        assert lock_holder(paths) is None


def test_a_reader_in_the_way_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """He goes once somebody has found him there."""
    import fcntl

    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    paths.lock_json.write_text('{"pid": 1, "host": "another host", "since": 1.0}')
    os.utime(paths.lock_json, (0, 0))
    reader = os.open(paths.lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(reader, fcntl.LOCK_SH)
    tried: list[bool] = []

    def try_lock(*args: int | Path) -> bool:
        tried.append(_try_lock(*args))  # type: ignore[arg-type]
        if len(tried) == 1:
            os.close(reader)
        return tried[-1]

    monkeypatch.setattr("rltui.runs.lock._try_lock", try_lock)
    with RunLock(paths) as lock:
        assert lock.held and tried == [False, True]


def dead_pid() -> int:
    """A process id that belonged to someone and does no more."""
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid
