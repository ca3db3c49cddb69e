"""TerminalWatch: the program ends when its terminal is gone, and leaves a clean one when it cannot end by itself.

A closed window stops Textual's writer in the middle, which its shutdown then waits for without end; and without a hangup
signal nothing would tell it at all. Nothing is lost by leaving at once: the interface holds no truth of its own.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from typing import Any

LOOK_MS = 500  # between two looks at the terminal
GRACE = 1.5  # seconds that Textual has to end by itself once asked
# mouse, focus and bracketed paste off, kitty keys popped, cursor on, colours off, back from the alternate screen
LEAVE = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?25h\x1b[0m\x1b[?1049l"
)


class TerminalWatch:
    """Watches the terminal of standard input from a thread of its own; does nothing where there is none (Windows)."""

    def __init__(self) -> None:
        self._settings = _settings()
        self._asked: float | None = None
        self._ended = threading.Event()

    def __enter__(self) -> TerminalWatch:
        if self._settings is not None:
            threading.Thread(target=self._watch, name="terminal watch", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def expect_end(self) -> None:
        """The program was asked to end: if it has not in a moment, it is ended."""
        self._asked = time.monotonic()

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(0, 0)  # hangup and error are always told of
        while not self._ended.is_set():
            if poll.poll(LOOK_MS):
                os._exit(0)
            if self._asked is not None and time.monotonic() - self._asked > GRACE:
                self._leave()

    def _leave(self) -> None:
        import termios

        with contextlib.suppress(OSError, termios.error):
            os.set_blocking(1, False)
            os.write(1, LEAVE)
            os.set_blocking(1, True)
            termios.tcsetattr(0, termios.TCSANOW, self._settings or [])
        os._exit(0)


def _settings() -> list[Any] | None:
    """The terminal's settings as they were before us; None where standard input is no terminal."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return None
    import termios

    return termios.tcgetattr(0)
