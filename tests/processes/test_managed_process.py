"""The stop ladder on real processes and their children."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from rltui.errors import RltuiError
from rltui.safe_io import tail
from rltui.supervise.processes import ManagedProcess, ProcessTree, stop_tree
from tests.fakes.training import wait_for

Start = Callable[..., ManagedProcess]

CHILD = """
import os, signal, subprocess, sys, threading
mode = sys.argv[1]
if mode == "polite":
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))
if mode == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode in ("parent", "deserter"):
    kind = "deaf" if mode == "parent" else "plain"
    subprocess.Popen([sys.executable, "-S", "-c", open(sys.argv[2]).read(), kind, sys.argv[2]])
if mode != "deserter":
    print("ready", mode, flush=True)
    threading.Event().wait()
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a child that behaves as told and waits until it and its children are ready."""
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    made: list[ManagedProcess] = []

    def build(mode: str, ready: int = 1) -> ManagedProcess:
        command = [sys.executable, "-S", "-c", CHILD, mode, str(script)]
        process = ManagedProcess("child", command, tmp_path / f"{mode}.log")
        process.start()
        made.append(process)
        wait_for(lambda: process.log.read_text().count("ready") == ready, "the child", 10.0)
        return process

    yield build
    for process in made:
        process.stop(0.2)


def test_it_is_asked_then_terminated_then_killed_and_its_children_with_it(start: Start) -> None:
    process = start("polite")
    ending = process.stop(20.0, ask=lambda: os.kill(process.pid, 10))
    assert ending.how == "when asked"
    assert process.poll() == 3

    process = start("deaf")
    ending = process.stop(1.0, ask=lambda: None)
    assert ending.how == "killed"
    assert process.poll() == -9

    process = start("parent", ready=2)
    [child] = psutil.Process(process.pid).children()
    assert process.stop(1.0).how == "killed"  # the parent falls to SIGTERM, its deaf child to SIGKILL
    assert process.poll() == -15
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE

    process = start("deserter")
    assert process.wait(10.0) == 0
    assert process.stop(20.0).how == "terminated"
    assert ProcessTree(process.pid, session=True).wait(0.0)


def test_without_an_ask_or_with_a_failing_one_the_tree_is_terminated(start: Start) -> None:
    def fail() -> None:
        raise RltuiError("the trainer does not answer")

    assert start("plain").stop(20.0).how == "terminated"
    process = start("polite")
    assert process.stop(20.0, ask=fail).how == "terminated"
    assert process.poll() == -15


def test_stopping_what_has_ended_is_no_error(start: Start) -> None:
    process = start("plain")
    process.stop(20.0)
    assert process.stop(20.0).how == "had ended"
    assert stop_tree(ProcessTree(process.pid), 1.0).how == "had ended"


def test_a_program_has_its_own_session_and_one_that_cannot_start_is_an_error_with_its_command(tmp_path: Path) -> None:
    with pytest.raises(RltuiError, match="cannot start the viewer") as raised:
        ManagedProcess("viewer", [str(tmp_path / "nothing"), "--fast"], tmp_path / "log").start()
    assert "--fast" in raised.value.hint

    script = "import os,sys; print(os.getsid(0)==os.getpid(), repr(sys.stdin.read()), os.environ['EXTRA'], bool(os.environ['PATH']))"
    process = ManagedProcess(
        "child", [sys.executable, "-c", script], tmp_path / "log", cwd=tmp_path, env={"EXTRA": "x"}
    )
    process.start()
    assert process.wait(10.0) == 0
    assert process.tail() == "True '' x True"


def test_waiting_gives_up_at_its_time(start: Start) -> None:
    process = start("plain")
    assert process.wait(0.05) is None
    assert process.poll() is None


def test_the_tail_of_a_file_is_its_last_lines_whatever_bytes_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert tail(file) == ""
    file.write_bytes(b"\xff\xfe\n" + b"".join(b"line %d\n" % number for number in range(100_000)))
    assert tail(file, 2) == "line 99998\nline 99999"
    file.write_bytes(b"a\xffb\n")
    assert tail(file) == "a�b"
