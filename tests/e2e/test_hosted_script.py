"""A script of others in the cockpit that `rltui run` opens, on a real terminal: left, come back to, stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rltui.events.records import CheckpointSaved, RunFinished
from rltui.runs.journal import read_journal
from rltui.runs.lock import lock_holder
from rltui.runs.paths import DataDir
from tests.fakes import ppo_script
from tests.fakes.tmux import INSTALLED, TmuxWindow
from tests.fakes.training import wait_for


@pytest.fixture
def window(tmp_path: Path) -> Iterator[TmuxWindow]:
    script = [sys.executable, ppo_script.__file__, "learn", "100000"]
    opened = TmuxWindow(tmp_path, "run", "--run", "alpha", "--", *script)
    try:
        yield opened
    finally:
        opened.close()
        holder = lock_holder(DataDir(tmp_path / "data").run("alpha"))
        if holder is not None and holder.pid is not None:
            psutil.Process(holder.pid).kill()  # its script goes with it


@pytest.mark.skipif(not INSTALLED, reason="tmux is not installed")
def test_it_is_left_come_back_to_and_stopped(window: TmuxWindow, tmp_path: Path) -> None:
    paths = DataDir(tmp_path / "data").run("alpha")
    window.wait_screen("RUNNING")
    window.type("P")
    window.wait_screen("PAUSED")
    window.type("qk")
    window.wait_screen("code 0.")
    assert lock_holder(paths) is not None, "it goes on"
    window.run(sys.executable, "-m", "rltui", "attach", "alpha")
    window.wait_screen("PAUSED")
    window.type("P")
    window.wait_screen("RUNNING")
    window.type("S")
    window.wait_screen("STOPPED")
    wait_for(lambda: lock_holder(paths) is None, "its end")
    records = list(read_journal(paths.journal))
    assert [record.exit_code for record in records if isinstance(record, RunFinished)] == [0]
    assert any(isinstance(record, CheckpointSaved) for record in records)
    window.type("q")
    window.wait_screen("code 0.")
