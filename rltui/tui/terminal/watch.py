"""TerminalWatch: the program ends when its terminal or its guardian is gone, also when it cannot end by itself.

A closed window stops Textual's writer in the middle, which its shutdown then waits for without end; and without a hangup
signal nothing would tell it at all. Nothing is lost by leaving at once: the interface holds no truth of its own.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable

from rltui.supervise.guardian import BY_SIGNAL, Lifeline
from rltui.supervise.terminal import SavedTerminal

LOOK_MS = 250  # between two looks at the terminal
GRACE = 1.0  # seconds that Textual has to end by itself once asked
HANGUP = BY_SIGNAL + 1  # exit code, as shells have it for SIGHUP, which Windows does not know


class TerminalWatch:
    """Watches the terminal of standard input from a thread of its own; does nothing where there is none (Windows)."""

    def __init__(self, lifeline: Lifeline) -> None:
        self._lifeline = lifeline
        self._terminal = SavedTerminal()
        self._asked: tuple[float, int] | None = None  # when, and the exit code
        self._ended = threading.Event()
        self.tell: Callable[[], object] | None = None  # called from the thread when the guardian has gone

    def __enter__(self) -> TerminalWatch:
        if self._terminal.known:
            threading.Thread(target=self._watch, name="terminal watch", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def expect_end(self, code: int) -> None:
        """The program was asked to end with this exit code: if it has not in a moment, it is ended."""
        if self._asked is None:
            self._asked = time.monotonic(), code

    @property
    def asked_to_end(self) -> bool:
        return self._asked is not None

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(0, 0)  # hangup and error are always told of
        if self._lifeline.guardian is not None:
            poll.register(self._lifeline.guardian, 0)
        while not self._ended.is_set():
            for descriptor, event in poll.poll(LOOK_MS):
                if not event & (select.POLLHUP | select.POLLERR):
                    continue
                if descriptor == 0:
                    os._exit(HANGUP)
                poll.unregister(descriptor)
                self._orphaned()
            if self._asked is not None and time.monotonic() - self._asked[0] > GRACE:
                self._leave(self._asked[1])

    def _orphaned(self) -> None:
        """Nobody waits for us: the shell has the terminal again, so it must be made usable now."""
        self.expect_end(HANGUP)
        if self.tell is None:
            self._leave(HANGUP)
        else:
            self.tell()

    def _leave(self, code: int) -> None:
        self._terminal.restore()
        self._lifeline.left()
        os._exit(code)
