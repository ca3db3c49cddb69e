"""Keyboard: single keys from a terminal, without waiting and without echo, which is given back as it was."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import Any

GONE = "\x03"  # as Ctrl-C where that is a key


class Keyboard:
    """Nothing is read where standard input is no terminal, or on Windows. A terminal that is gone reads as GONE."""

    def __init__(self, guardian: int | None = None) -> None:
        """guardian: a pipe that hangs up when the guardian has gone, and with it the terminal."""
        self._sources = [0] if guardian is None else [0, guardian]
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
        if self._settings is None:
            return ""
        ready = select.select(self._sources, [], [], 0)[0]
        if not ready:
            return ""
        try:
            keys = os.read(0, 64) if ready == [0] else b""
        except OSError:
            keys = b""
        return keys.decode("ascii", "ignore") if keys else GONE
