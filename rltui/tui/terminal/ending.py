"""Leaves the terminal as it was also when told to end from outside; training goes on."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from rltui.supervise.guardian import BY_SIGNAL, ending_signals
from rltui.tui.terminal.watch import TerminalWatch


def end_on_signals(watch: TerminalWatch, end: Callable[[int], object]) -> None:
    """Have `end(signal's number)` called in the running loop; nothing on Windows, which has no such signals."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()

    def asked(number: int, _: object = None) -> None:
        watch.expect_end(BY_SIGNAL + number)  # here, for the loop may be what hangs
        loop.call_soon_threadsafe(ended, number)

    def ended(number: int) -> None:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # without its guardian the viewer is no longer in the foreground
        end(number)

    for number in ending_signals():
        signal.signal(number, asked)
    watch.tell = lambda: loop.call_soon_threadsafe(ended, signal.SIGHUP)
