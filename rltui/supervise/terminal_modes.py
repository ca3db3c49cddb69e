"""What a full-screen program switches on in a terminal, and how all of it is taken back. Imports next to nothing."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
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
