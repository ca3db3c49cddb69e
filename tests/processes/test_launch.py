"""A detached launch: the run it gives back, the error it hands on, where the words go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.supervise import launch
from rltui.supervise.launch import LaunchedTrainer, detached
from rltui.supervise.output_log import OutputLog
from tests.fakes import small_trainer


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    """The small trainer in the place of `rltui`, temporary files where the test can see them."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "tmp"))
    script = small_trainer.__file__
    monkeypatch.setattr(launch, "command", lambda *words: [sys.executable, script, *words])
    return DataDir(tmp_path / "data")


@pytest.fixture
def launched(data: DataDir) -> Iterator[LaunchedTrainer]:
    trainer = detached("obey", data, "alpha", ["--resume", "new"])
    yield trainer
    trainer.process.stop(5.0)


def logs(data: DataDir) -> list[Path]:
    return list((data.root.parent / "tmp").glob("*.log"))


def test_the_command_is_our_own_program_and_output_is_left_alone_where_nobody_launched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = launch.command("train", "quick", "--run", "alpha")
    assert command == [sys.executable, "-P", "-m", "rltui", "train", "quick", "--run", "alpha"]

    OutputLog(tmp_path / "trainer.log").on_record(small_trainer.started("alpha"))
    assert list(tmp_path.iterdir()) == []


def test_a_started_run_is_given_back_logs_what_it_prints_and_is_not_launched_twice(
    launched: LaunchedTrainer, data: DataDir
) -> None:
    assert launched.run == "alpha"
    assert launched.pid == launched.process.pid
    trainer = psutil.Process(launched.pid)
    assert os.getsid(launched.pid) == launched.pid
    assert trainer.cmdline()[-6:] == ["--data-dir", str(data.root), "--run", "alpha", "--resume", "new"]

    from tests.fakes.training import wait_for

    log = data.run("alpha").log
    said = "small trainer, before its run\nsmall trainer, in its run\n"
    wait_for(lambda: log.is_file() and len(log.read_text()) >= len(said), "the log", 10.0)
    assert log.read_text() == said
    assert logs(data) == []

    with pytest.raises(RltuiError, match=f"trained already.*pid {launched.pid}"):
        detached("obey", data, "alpha")


def test_a_run_that_the_trainer_chose_itself_is_found(data: DataDir) -> None:
    data.run("zeta").folder.mkdir(parents=True)
    data.run("zeta").journal.write_bytes(b"no record\n")
    trainer = detached("obey", data)
    try:
        assert trainer.run == "alpha"
    finally:
        trainer.process.stop(5.0)


def test_an_error_a_crash_and_a_kill_before_the_run_starts_are_told_apart(data: DataDir) -> None:
    with pytest.raises(RltuiError) as raised:
        detached("broken", data, "alpha")
    error = raised.value
    assert error.message == "my.toml: 2 errors\nline 3: weigth: unknown key"
    assert error.hint == "did you mean 'weight'?\nsee the docs"
    assert error.exit_code == 2
    assert not data.root.exists()
    assert logs(data) == []

    with pytest.raises(RltuiError, match="ended before its run started: exit code 1") as raised:
        detached("crash", data, "alpha")
    assert "ZeroDivisionError: a bug" in raised.value.hint
    assert raised.value.exit_code == 1

    with pytest.raises(RltuiError, match="run started: SIGKILL"):
        detached("killed", data, "alpha")


def test_one_that_never_starts_is_stopped(data: DataDir) -> None:
    with pytest.raises(RltuiError, match=r"had not started its run after 0.6 s"):
        detached("never", data, "alpha", timeout=0.6)
    script = small_trainer.__file__
    mine = [child for child in psutil.Process().children() if script in child.cmdline()]
    assert mine == []
