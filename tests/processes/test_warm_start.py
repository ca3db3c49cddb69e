"""What tests start dies with them, also where they are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from tests.fakes.forked import Forked
from tests.fakes.training import runs, wait_for
from tests.fakes.warm_start import ROOT

CALLER = """\
import os, signal, socket
from tests.fakes import warm_start

signal.signal(signal.SIGTERM, signal.SIG_IGN)
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
if not os.fork():  # the server, which here has imported nothing
    ours.close()
    warm_start.serve(theirs)
    signal.pause()  # what it has started
theirs.close()
warm_start._server = lambda: ours
for _ in range(2):
    print(warm_start.start("module", [], 1, os.environ).pid, flush=True)
signal.pause()
"""


def gone(pid: int) -> bool:
    try:
        return not runs(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_what_is_started_ends_with_a_test_run_that_is_killed() -> None:
    """Or by signals that the test run itself ignored as it began."""
    caller = subprocess.Popen([sys.executable, "-c", CALLER], stdout=subprocess.PIPE, cwd=ROOT)
    assert caller.stdout is not None
    try:
        pid, other = (int(caller.stdout.readline()) for _ in range(2))
        wait_for(lambda: os.getsid(pid) == pid and os.getsid(other) == other, "sessions of their own")
        children = {child.pid for child in psutil.Process(caller.pid).children()}
        assert children >= {pid, other}
        os.kill(other, signal.SIGTERM)
        wait_for(lambda: gone(other), "the end of what was terminated")
        assert not gone(pid)
    finally:
        caller.kill()
        caller.wait()
        caller.stdout.close()
    wait_for(lambda: all(map(gone, children)), "the end of what was started and of its server")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child outlives its parent")
def test_a_forked_function_ends_with_its_parent() -> None:
    def parent(report: object) -> None:
        child = Forked(lambda _: signal.pause())
        report(str(child.pid))  # type: ignore[operator]
        signal.pause()

    with Forked(parent) as forked:
        [pid] = map(int, forked.lines(wanted=1))
        assert not gone(pid)
        forked.kill()
    wait_for(lambda: gone(pid), "the child's end")
