"""Server that forks `python -m MODULE ARGUMENTS` from a process that has imported the trainer: torch takes two seconds of a core.

What it starts is the caller's child and like any other process: a session, an environment, an output and signals of its
own, and MODULE is its `__main__`; but it dies with the caller, and ignores no signal because the server was begun so. One server for a test process; Linux alone, elsewhere each
start imports by itself.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes.forked import die_with

ROOT = Path(__file__).parents[2]
PR_SET_CHILD_SUBREAPER = 36
LONGEST = 1 << 20  # bytes of a request
MOMENT = 0.001  # seconds


@dataclass
class ForkedProcess:
    """As subprocess.Popen, of a child that the server has forked."""

    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        return self._fetch(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None and timeout is not None:
            ended = os.pidfd_open(self.pid)
            try:
                if not select.select([ended], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(str(self.pid), timeout)
            finally:
                os.close(ended)
        code = self._fetch(0)
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _fetch(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


Process = subprocess.Popen[bytes] | ForkedProcess


def start(module: str, arguments: Sequence[str], output: int, env: Mapping[str, str]) -> Process:
    """`python -m MODULE ARGUMENTS` in a session of its own, without standard input. output: descriptor of what it prints."""
    if sys.platform != "linux":
        command, null = [sys.executable, "-m", module, *arguments], subprocess.DEVNULL
        return subprocess.Popen(command, stdin=null, stdout=output, stderr=output, env=env, start_new_session=True)
    request = {"argv": [module, *arguments], "env": dict(env), "cwd": str(Path.cwd()), "parent": os.getpid()}
    server = _server()
    adopt = ctypes.CDLL(None).prctl
    adopt(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # the forked process, whose parent ends at once, becomes our child
    try:
        socket.send_fds(server, [json.dumps(request).encode()], [output])
        pid = int(server.recv(LONGEST))
        assert server.recv(LONGEST) == b"ours"
    finally:
        adopt(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    return ForkedProcess(pid)


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.fakes.warm_start", str(theirs.fileno())]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], cwd=ROOT)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def serve(asked: socket.socket) -> list[str]:
    """Fork for each request until nobody is there to ask; returns in each child, with its module and arguments."""
    while True:
        message, outputs, *_ = socket.recv_fds(asked, LONGEST, 1)
        if not message:
            sys.exit()
        parent = os.fork()
        if not parent:
            between = os.getpid()
            pid = os.fork()
            if pid:
                asked.send(str(pid).encode())
                os._exit(0)
            asked.close()
            while os.getppid() == between:  # until the caller has adopted us
                select.select([], [], [], MOMENT)
            return _become(json.loads(message), outputs[0])
        os.close(outputs[0])
        os.waitpid(parent, 0)
        asked.send(b"ours")


def _become(request: dict[str, Any], output: int) -> list[str]:
    die_with(request["parent"])
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.path[:1] = filter(None, [request["cwd"], *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    return request["argv"]


if __name__ == "__main__":
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    import rltui.cli.train
    import rltui.train.session  # noqa: F401

    gc.freeze()  # shared with every child: none looks for garbage in it
    module, *arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)
