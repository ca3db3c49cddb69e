"""Keyboard: single keys from a terminal, without waiting and without echo, which is given back as it was."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import Any


class Keyboard:
    """Nothing is read where standard input is no terminal, or on Windows."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = None

    def __enter__(self) -> Keyboard:
        if sys.platform != "win32" and sys.stdin.isatty():
            import termios
            import tty

            with contextlib.suppress(termios.error):
                self._settings = termios.tcgetattr(0)
                tty.setcbreak(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._settings is None:
            return
        import termios

        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSANOW, self._settings)
        self._settings = None

    def pressed(self) -> str:
        """The keys since the last call, in order."""
        if self._settings is None or not select.select([0], [], [], 0)[0]:
            return ""
        try:
            return os.read(0, 64).decode("ascii", "ignore")
        except OSError:  # the terminal is gone
            return ""
