"""Lifeline: the viewer's ends of the two pipes between it and its guardian. Imports next to nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

BY_SIGNAL = 128  # exit codes from here on: ended by signal N - 128, as in shells
ENTERED, LEFT, OPENED = b"entered", b"left", b"opened "


class Lifeline:
    """One pipe hangs up when the guardian has gone; on the other the viewer says how it left the terminal.

    Without descriptors there is no guardian, and nothing is said.
    """

    def __init__(self, guardian: int | None = None, news: int | None = None) -> None:
        """guardian: readable end that hangs up; news: writable end."""
        self.guardian = guardian
        self._news = news
        if news is not None:
            os.set_blocking(news, False)

    def entered(self) -> None:
        """The terminal's modes are about to be changed."""
        self._say(ENTERED)

    def left(self) -> None:
        """The terminal is as it was."""
        self._say(LEFT)

    def opened(self, run: str) -> None:
        """What the user looks at, to be told how to come back; empty where it is no run."""
        self._say(OPENED + run.encode("utf-8", "replace"))

    def _say(self, line: bytes) -> None:
        if self._news is not None:
            with contextlib.suppress(OSError):  # a guardian that has gone needs no news
                os.write(self._news, line + b"\n")


class News:
    """What the guardian has heard so far."""

    def __init__(self) -> None:
        self.inside = False  # the terminal's modes are changed
        self.run = ""
        self._rest = b""

    def hear(self, data: bytes) -> None:
        """More of the pipe, in whatever pieces it comes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(OPENED):
                self.run = line.removeprefix(OPENED).decode("utf-8", "replace")
            else:
                self.inside = line == ENTERED


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that ask the viewer to end; training goes on."""
    if sys.platform == "win32":
        return ()
    return signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT
