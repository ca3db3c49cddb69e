"""Ending with the terminal, its guardian or a signal; lending the terminal to a command."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence

from textual.app import App, SuspendNotSupported

from rltui.supervise.guardian import Lifeline
from rltui.supervise.signals import BY_SIGNAL, ending_signals, exit_words
from rltui.supervise.terminal import SavedTerminal, in_browser

if sys.platform != "win32":
    from rltui.supervise.terminal import DescriptorPoll


LOOK_MS = 250  # between two looks at the terminal
GRACE = 1.0  # seconds that Textual has to end by itself once asked
HANGUP = BY_SIGNAL + 1  # exit code, as shells have it for SIGHUP, which Windows does not know


class TerminalWatch:
    """Thread that ends the program when its terminal or its guardian is gone, also when it cannot end by itself.

    A closed window stops Textual's writer in the middle, which its shutdown then waits for without end; and without a hangup
    signal nothing would tell it at all. Nothing is lost by leaving at once: the interface holds no truth of its own. A closed page
    of `rltui serve` is a closed window. It does nothing where standard input is neither, and on Windows.
    """

    def __init__(self, lifeline: Lifeline) -> None:
        self._lifeline = lifeline
        self._terminal = SavedTerminal()
        self._asked: tuple[float, int] | None = None  # when, and the exit code
        self._ended = threading.Event()
        self.tell: Callable[[], object] | None = None  # called from the thread when the guardian has gone

    def __enter__(self) -> TerminalWatch:
        if sys.platform != "win32" and (self._terminal.known or in_browser(os.environ)):
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

    if sys.platform != "win32":

        def _watch(self) -> None:
            guardian = self._lifeline.guardian
            poll = DescriptorPoll(0) if guardian is None else DescriptorPoll(0, guardian)
            while not self._ended.is_set():
                for descriptor, hung_up in poll.wait(LOOK_MS):
                    if not hung_up:
                        continue
                    if descriptor == 0:
                        os._exit(HANGUP)
                    poll.forget(descriptor)
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


def lend_terminal(app: App[str], command: Sequence[str], asked_to_end: Callable[[], bool]) -> None:
    """Until the command ends, which it does where we are asked to end. What goes wrong is a notice."""
    from rltui.supervise.terminal import run_in_foreground

    typed = shlex.join(command[command.index("rltui") :] if "rltui" in command else command)
    try:
        with app.suspend():
            code = run_in_foreground(command, asked_to_end)
    except SuspendNotSupported:
        app.notify(f"In a terminal: {typed}", title="It cannot be shown here", severity="error")
        return
    except OSError as error:
        app.notify(str(error), title="The terminal cannot be lent here", severity="error")
        return
    if code:
        words = f"{typed}: {exit_words(code)}; typed in a shell it says why"
        app.notify(words, title="It ended early", severity="warning")
