"""Terminals: modes to be restored, hangup, keys, a child in the foreground. Windows' console has few of these."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rltui.errors import RltuiError

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
LOOK = 0.1  # seconds between two looks at whether we are asked to end
PATIENCE = 0.8  # seconds for a child in the foreground to end once told to
WEB_DRIVER = "textual.drivers.web_driver:WebDriver"
CHILD_SIZE = 40, 120  # rows and columns of a pseudo-terminal
READ_BYTES = 1 << 16
GONE = "\x03"  # what a terminal that is gone reads as: Ctrl-C where that is a key
Settings = list[Any]  # of `stty`, as termios gives them


def in_browser(environ: Mapping[str, str]) -> bool:
    """Whether a page of `rltui serve`, at the other end of standard input and output, is what draws the program."""
    return environ.get("TEXTUAL_DRIVER") == WEB_DRIVER


class ConsoleKeyboard:
    """Windows' Keyboard, which needs no mode. waiting and read: msvcrt's kbhit and getwch."""

    def __init__(self, waiting: Callable[[], bool], read: Callable[[], str]) -> None:
        self._waiting, self._read = waiting, read
        self._entered = False

    def __enter__(self) -> ConsoleKeyboard:
        self._entered = True
        return self

    def __exit__(self, *_: object) -> None:
        self._entered = False

    def pressed(self) -> str:
        """The keys since the last call, in order."""
        keys = ""
        while self._entered and self._waiting():
            key = self._read()
            if key in ("\x00", "\xe0"):  # an arrow or function key comes in two parts
                self._read()
            else:
                keys += key
        return keys


class NoTerminal:
    """SavedTerminal where there is none with settings: Windows' console."""

    known = False

    def restore(self) -> None:
        pass


if sys.platform == "win32":
    import msvcrt

    SavedTerminal = NoTerminal

    def open_keyboard(guardian: int | None = None) -> ConsoleKeyboard:
        """A context manager. guardian: not needed here."""
        return ConsoleKeyboard(msvcrt.kbhit if sys.stdin.isatty() else lambda: False, msvcrt.getwch)

    def run_in_foreground(command: Sequence[str], asked_to_end: Callable[[], bool] = lambda: False) -> int:
        """The child's exit code. It shares the console, so Ctrl-C reaches it; asked_to_end is not looked at."""
        return subprocess.call(list(command))

    class PseudoTerminal:
        """None of the kind here."""

        inner = -1

        def __init__(self) -> None:
            raise RltuiError(
                "rltui run needs a pseudo-terminal, which Windows has none of",
                "it works on Linux, on macOS, and in WSL",
            )

        def take(self) -> None: ...

        def close_inner(self) -> None: ...

        def read(self, seconds: float) -> bytes | None:
            return None

        def press(self, keys: bytes) -> None: ...

        def close(self) -> None: ...

else:
    import fcntl
    import struct
    import termios
    import tty

    def read_settings(descriptor: int) -> Settings:
        """Raises termios.error."""
        return termios.tcgetattr(descriptor)

    def apply_settings(descriptor: int, settings: Settings) -> None:
        """At once. Raises termios.error."""
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)

    class SavedTerminal:
        """The settings that the terminal of standard input has now, to be given back later."""

        def __init__(self) -> None:
            self._settings: Settings | None = None
            if not os.isatty(0):
                return
            # Changes nothing, but whoever was started in the background stops here until brought to the front.
            with contextlib.suppress(termios.error):
                apply_settings(0, read_settings(0))
            self._settings = read_settings(0)

        @property
        def known(self) -> bool:
            """False where standard input is no terminal: then nothing is ever restored."""
            return self._settings is not None

        def restore(self) -> None:
            """Everything off that was switched on, and the settings back. Never raises, never waits long; any thread."""
            if self._settings is None:
                return
            # A shell may have taken the terminal back already: then the kernel would stop us for touching it.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
            with contextlib.suppress(OSError):
                _write_soon(LEAVE)
            with contextlib.suppress(OSError, termios.error):
                apply_settings(0, self._settings)
                termios.tcflush(0, termios.TCIFLUSH)  # mouse reports on their way are no commands for the shell

    def _write_soon(data: bytes) -> None:
        poll = select.poll()
        poll.register(DRAWN_ON, select.POLLOUT)
        while data and any(event & select.POLLOUT for _, event in poll.poll(WRITE_MS)):
            data = data[os.write(DRAWN_ON, data) :]

    class DescriptorPoll:
        """Poll of descriptors for hangup and error, of one for input too."""

        def __init__(self, *descriptors: int, readable: int | None = None) -> None:
            self._poll = select.poll()
            for descriptor in descriptors:
                self._poll.register(descriptor, 0)  # hangup and error are always told of
            if readable is not None:
                self._poll.register(readable, select.POLLIN)

        def wait(self, milliseconds: int) -> Iterator[tuple[int, bool]]:
            """Those with news; whether it is a hangup or an error."""
            for descriptor, event in self._poll.poll(milliseconds):
                yield descriptor, bool(event & (select.POLLHUP | select.POLLERR))

        def forget(self, descriptor: int) -> None:
            """Look at it no more."""
            self._poll.unregister(descriptor)

    class Keyboard:
        """Keys as they are pressed, none where standard input is no terminal. A terminal that is gone reads as GONE."""

        def __init__(self, guardian: int | None = None) -> None:
            self._sources = [0] if guardian is None else [0, guardian]
            self._settings: Settings | None = None

        def __enter__(self) -> Keyboard:
            if sys.stdin.isatty():
                with contextlib.suppress(termios.error):
                    self._settings = read_settings(0)
                    tty.setcbreak(0)
            return self

        def __exit__(self, *_: object) -> None:
            if self._settings is not None:
                with contextlib.suppress(termios.error):
                    apply_settings(0, self._settings)
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

    def open_keyboard(guardian: int | None = None) -> Keyboard:
        """A context manager. guardian: a pipe that hangs up when the guardian has gone, and with it the terminal."""
        return Keyboard(guardian)

    def run_in_foreground(command: Sequence[str], asked_to_end: Callable[[], bool] = lambda: False) -> int:
        """The exit code of a child that has the terminal to itself, negative for a signal. When we are asked to end, the
        child is ended first.

        It has its own process group in the foreground, as a shell starts it: Ctrl-C is the child's alone. The terminal must
        be in its usual state; afterwards its settings are as they were before. Raises OSError.
        """
        if not os.isatty(0):
            return subprocess.call(list(command))
        with _settings_saved():
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
        """Who asks from the background is stopped for it, unless it ignores that signal."""
        with contextlib.suppress(OSError, ProcessLookupError):
            old = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            try:
                os.tcsetpgrp(0, group)
            finally:
                signal.signal(signal.SIGTTOU, old)

    @contextlib.contextmanager
    def _settings_saved() -> Iterator[None]:
        """Without a suspend key meanwhile: a stopped child would leave nobody at the terminal."""
        before, meanwhile = read_settings(0), read_settings(0)
        meanwhile[6][termios.VSUSP] = b"\x00"
        apply_settings(0, meanwhile)
        try:
            yield
        finally:
            with contextlib.suppress(termios.error):
                apply_settings(0, before)

    class PseudoTerminal:
        """Terminal for a child: `inner` is its end; here is read what it prints, and keys are pressed.

        It echoes no keys and leaves newlines as they are. The child gets a hangup when our end is gone, however we end.
        """

        def __init__(self) -> None:
            """OSError where the system has none left."""
            self._ours, self.inner = os.openpty()
            os.set_blocking(self._ours, False)
            settings = read_settings(self.inner)
            settings[1] &= ~termios.OPOST
            settings[3] &= ~termios.ECHO
            apply_settings(self.inner, settings)
            fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("4H", *CHILD_SIZE, 0, 0))

        def take(self) -> None:
            """In the child, a session's leader that has `inner` as its standard input: this is its terminal from now on."""
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        def close_inner(self) -> None:
            """The child has it: once nobody else does, `read` says so."""
            os.close(self.inner)

        def read(self, seconds: float) -> bytes | None:
            """What was printed; empty where nothing came within `seconds`; None once nobody has the child's end any more."""
            if not select.select([self._ours], [], [], seconds)[0]:
                return b""
            try:
                return os.read(self._ours, READ_BYTES) or None
            except BlockingIOError:
                return b""
            except OSError:  # Linux' way to say that it is over
                return None

        def press(self, keys: bytes) -> None:
            """Never waits: a child that reads none has room for some four thousand, and then they are lost."""
            with contextlib.suppress(OSError):
                os.write(self._ours, keys)

        def close(self) -> None:
            os.close(self._ours)
