"""Names of signals, whom they reach, and how Windows ends a process with its descendants."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import psutil

from rltui.supervise import signals
from tests.fakes.training import wait_for


def test_a_signal_without_a_name_is_called_by_its_number() -> None:
    assert signals.signal_name(9) == "SIGKILL"
    assert signals.signal_name(signal.SIGRTMIN + 3) == f"signal {signal.SIGRTMIN + 3}"


def test_a_session_ends_with_all_that_it_has_started() -> None:
    script = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE).pid, flush=True); input()"
    child = signals.start_session(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None and child.stdin is not None
    grandchild = psutil.Process(int(child.stdout.readline()))
    signals.kill_session(child)
    assert child.wait(10) == -signal.SIGKILL
    wait_for(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE, "its end", 10.0)
    signals.kill_session(child)  # nobody is there any more
    child.stdout.close()
    child.stdin.close()


def test_windows_is_asked_to_end_the_tree() -> None:
    asked: list[list[str]] = []

    def call(command: list[str], **_: Any) -> None:
        asked.append(command)
        raise FileNotFoundError("no taskkill here")

    signals.kill_tree(1234, call)
    assert asked == [["taskkill", "/T", "/F", "/PID", "1234"]]
