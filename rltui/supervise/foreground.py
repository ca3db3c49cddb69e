"""A child that has the terminal to itself for a while: its own process group in the foreground, as a shell starts it.

So Ctrl-C there is the child's alone, and whoever waits here is not ended by it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

LOOK = 0.1  # seconds between two looks at whether we are asked to end
PATIENCE = 0.8  # seconds for the child to end once told to


def run_in_foreground(command: Sequence[str], asked_to_end: Callable[[], bool] = lambda: False) -> int:
    """The child's exit code, negative for a signal. When we are asked to end, the child is ended first.

    The terminal must be in its usual state; afterwards its settings are as they were before. Raises OSError.
    """
    if sys.platform == "win32" or not os.isatty(0):
        return subprocess.call(list(command))
    with _settings_kept():
        child = subprocess.Popen(list(command), process_group=0)
        try:
            _bring_forward(child.pid)
            os.killpg(child.pid, signal.SIGCONT)  # it may have touched the terminal before it was its own
            return _wait(child, asked_to_end)
        finally:
            _bring_forward(os.getpgrp())


def _wait(child: subprocess.Popen[bytes], asked_to_end: Callable[[], bool]) -> int:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(LOOK)
        if asked_to_end():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(PATIENCE)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def _bring_forward(group: int) -> None:
    """Who asks from the background is stopped for it, unless it does not listen."""
    with contextlib.suppress(OSError, ProcessLookupError):
        old = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            os.tcsetpgrp(0, group)
        finally:
            signal.signal(signal.SIGTTOU, old)


@contextlib.contextmanager
def _settings_kept() -> Iterator[None]:
    """Without a suspend key meanwhile: a stopped child would leave nobody at the terminal."""
    import termios

    before = termios.tcgetattr(0)
    meanwhile = termios.tcgetattr(0)
    meanwhile[6][termios.VSUSP] = b"\x00"
    termios.tcsetattr(0, termios.TCSANOW, meanwhile)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSANOW, before)
