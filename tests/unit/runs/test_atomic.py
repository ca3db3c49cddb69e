"""Faults on purpose: which point fails, at which pass, and how."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.runs.atomic import fault

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
