"""Terminal modes and foreground child."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

DRAWN_ON = 2  # the descriptor that Textual draws on
WRITE_MS = 300  # a terminal that takes nothing for so long (flow control, a stopped ssh) is left as it is
# Cut off what is half written; end a synchronised update; mouse (cells and pixels), focus, bracketed paste and resize
# reports off; the pointer's shape; lines wrap; kitty keys popped, before the alternate screen is left for each screen has
# a stack of its own; colours off; back from the alternate screen; cursor on; the title that the terminal had before.
LEAVE = (
    b"\x18\x1b[?2026l"
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2048l"
    b"\x1b]22;default\x07\x1b[?7h\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h\x1b[23;2t"
)


class SavedTerminal:
    """The settings (`stty`) that the terminal of standard input has now, to be given back later."""

    def __init__(self) -> None:
        self._settings = _settings()

    @property
    def known(self) -> bool:
        """False where standard input is no terminal (and on Windows): then nothing is ever restored."""
        return self._settings is not None

    def restore(self) -> None:
        """Everything off that was switched on, and the settings back. Never raises, never waits long; any thread."""
        if sys.platform == "win32" or self._settings is None:
            return
        import termios

        # A shell may have taken the terminal back already: then the kernel would stop us for touching it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        with contextlib.suppress(OSError):
            _write_soon(LEAVE)
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(0, termios.TCSANOW, self._settings)
            termios.tcflush(0, termios.TCIFLUSH)  # mouse reports on their way are no commands for the shell


def _write_soon(data: bytes) -> None:
    poll = select.poll()
    poll.register(DRAWN_ON, select.POLLOUT)
    while data and any(event & select.POLLOUT for _, event in poll.poll(WRITE_MS)):
        data = data[os.write(DRAWN_ON, data) :]


def _settings() -> list[Any] | None:
    if sys.platform == "win32" or not os.isatty(0):
        return None
    import termios

    # Changes nothing, but whoever was started in the background stops here until brought to the front.
    with contextlib.suppress(termios.error):
        termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))
    return termios.tcgetattr(0)


# A child that has the terminal to itself for a while: its own process group in the foreground, as a shell starts it.
#
# So Ctrl-C there is the child's alone, and whoever waits here is not ended by it.

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
