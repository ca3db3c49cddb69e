"""Guardian process: sees a viewer's end however it comes, and gives the terminal back; the pipes between the two."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rltui.supervise.signals import BY_SIGNAL, ending_signals, signal_name

if sys.platform != "win32":
    from rltui.supervise.terminal import DescriptorPoll, SavedTerminal

if TYPE_CHECKING:
    from types import FrameType

ENTERED, LEFT, OPENED = b"entered", b"left", b"opened "
PATIENCE = 1.8  # seconds that a viewer has to end when told to; its own watch ends it before
LOOK_MS = 1000  # between two looks in case that a pipe stays open: an end is normally told at once


class Lifeline:
    """One pipe hangs up when the guardian has gone; on the other the viewer says how it left the terminal.

    Without descriptors there is no guardian, and nothing is said.
    """

    def __init__(self, guardian: int | None = None, news: int | None = None) -> None:
        """guardian: readable end that hangs up; news: writable end."""
        self.guardian = guardian
        self._news = news
        if sys.platform != "win32" and news is not None:
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


def guarded(work: Callable[[Lifeline], int]) -> int:
    """Run `work` in a child, under guard; returns its exit code, 128 + N when signal N ended it.

    A program that is killed cannot clean up after itself: the guardian, which the shell sees, waits, passes signals on,
    gives the terminal back in the state in which it was found, and says how to come back. It forks before anything heavy
    is imported: that costs no second interpreter start and little memory of its own.

    In the child this returns what `work` returns. Without a terminal, and on Windows, there is nothing to guard.
    """
    if sys.platform != "win32" and all(os.isatty(descriptor) for descriptor in (0, 1, 2)):
        return _guarded(work)
    return work(Lifeline())


if sys.platform != "win32":

    def _guarded(work: Callable[[Lifeline], int]) -> int:
        terminal = SavedTerminal()
        life_end, life = os.pipe()
        news_end, news = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, ending_signals())
        viewer = os.fork()
        if viewer == 0:
            os.close(life)
            os.close(news_end)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ending_signals())
            code = work(Lifeline(life_end, news))
            gc.freeze()  # the system takes it all back: a search for garbage in it would outlast the guardian's patience
            return code
        os.close(life_end)
        os.close(news)
        guardian = Guardian(viewer, news_end, terminal)
        guardian.pass_signals_on()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending_signals())
        return guardian.watch()

    class Guardian:
        """Waits for one viewer. `news`: the readable end of its pipe, which closes with it."""

        def __init__(self, viewer: int, news: int, terminal: SavedTerminal) -> None:
            self._viewer, self._pipe, self._terminal = viewer, news, terminal
            self._news = News()
            self._passed_on = False

        def pass_signals_on(self) -> None:
            """To the viewer, which ends in its own way; one that does not is killed."""
            for number in ending_signals():
                signal.signal(number, self._pass_on)
            signal.signal(signal.SIGALRM, self._kill)
            # Suspending is unbound: a stopped guardian would leave the viewer drawing over the shell.
            signal.signal(signal.SIGTSTP, lambda *_: None)

        def watch(self) -> int:
            """Until the viewer has ended; its exit code. The terminal is then as it was."""
            code = os.waitstatus_to_exitcode(self._wait())
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if code < 0:
                code = BY_SIGNAL - code
            if self._news.inside:
                self._terminal.restore()
            if code >= BY_SIGNAL:
                self._say_what_happened(code - BY_SIGNAL)
            return code

        def _wait(self) -> int:
            poll = DescriptorPoll(0, readable=self._pipe)
            while True:
                ended = False
                for descriptor, hung_up in poll.wait(LOOK_MS):
                    if descriptor == self._pipe:
                        ended = not self._listen()
                    elif hung_up:
                        poll.forget(0)
                        self._pass_on(signal.SIGHUP)
                pid, status = os.waitpid(self._viewer, 0 if ended else os.WNOHANG)
                if pid:
                    self._drain()
                    return status

        def _listen(self) -> bool:
            """False once the pipe is closed."""
            data = os.read(self._pipe, 4096)
            self._news.hear(data)
            return bool(data)

        def _drain(self) -> None:
            os.set_blocking(self._pipe, False)
            with contextlib.suppress(BlockingIOError):
                while self._listen():
                    pass

        def _pass_on(self, number: int, _: FrameType | None = None) -> None:
            if not self._passed_on:
                self._passed_on = True
                signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            self._signal(number)

        def _kill(self, *_: object) -> None:
            self._signal(signal.SIGKILL)

        def _signal(self, number: int) -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._viewer, number)

        def _say_what_happened(self, number: int) -> None:
            back = f"rltui attach {self._news.run}" if self._news.run else "rltui"
            line = f"rltui: ended by {signal_name(number)}; a running trainer goes on, come back with: {back}\n"
            with contextlib.suppress(OSError):  # there may be no terminal any more
                os.write(2, line.encode("utf-8", "replace"))
