"""A person at a real pseudo-terminal: types keys, reads what is on it, closes it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from tests.fakes.drawn_screen import DrawnScreen
from tests.fakes.training import DEADLINE, wait_for

CONTROL = re.compile(rb"\x1b(\[[0-9;?<>=:]*[a-zA-Z~]|\][^\x07\x1b]*(\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[()][A-Z0-9]|.)")
UNFINISHED = re.compile(rb"\x1b(\[[0-9;?<>=:]*|\][^\x07\x1b]*|[PX^_][^\x1b]*)?\Z")
CRASH = "Traceback (most recent call last)"  # the first word alone is also what a key of the cockpit is called


def text_of(written: bytes) -> str:
    """Without control sequences; one whose end has not come is left out, as is half a character."""
    text = CONTROL.sub(b"\n", UNFINISHED.sub(b"", written))
    return getincrementaldecoder("utf-8")("replace").decode(text)


class Terminal:
    """`rltui …` on a pseudo-terminal of a given size."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        columns: int = 120,
        rows: int = 40,
        controlling: bool = True,
        module: str = "rltui",
        env: Mapping[str, str] | None = None,
    ) -> None:
        """controlling: closing it hangs up, as in a real window; else nothing tells the program but the terminal itself.

        module: what is run instead of the program. env: variables on top of a modern terminal's.
        """
        self._master, slave = pty.openpty()
        self._drawn = DrawnScreen(columns, rows)
        self._reading = threading.Lock()  # of what has been read: nobody looks at a half of it
        self.resize(columns, rows)
        self.settings_before = self.settings()
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            **(env or {}),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "PYTHONPATH": str(Path(__file__).parents[2])},
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
        )
        os.close(slave)
        self._closing = threading.Event()
        self.raw = b""
        self._seen = b"", ""  # what was written when it was last asked for, and its text
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """All text ever written, without control sequences; words stand whole, their places on the screen do not."""
        raw = self.raw
        if raw is not self._seen[0]:
            self._seen = raw, text_of(raw)
        return self._seen[1]

    @property
    def screen(self) -> str:
        """What stands on it now, row by row."""
        with self._reading:
            return self._drawn.text

    @property
    def viewer(self) -> psutil.Process:
        """What draws: the child of the guardian, which the shell sees."""
        return wait_for(lambda: next(iter(psutil.Process(self.process.pid).children()), None), "the viewer")

    def settings(self) -> list[Any]:
        """What `stty` shows."""
        return termios.tcgetattr(self._master)

    def resize(self, columns: int, rows: int) -> None:
        """The window has another size."""
        with self._reading:
            self._drawn.resize(columns, rows)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str | bytes) -> None:
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            data = data[os.write(self._master, data) :]

    def wait_end(self, seconds: float = DEADLINE) -> int:
        """The exit code that the shell sees. All that the program has written has then been read."""
        wait_for(lambda: self.process.poll() is not None, "the program's end", seconds)
        self._catch_up()
        return self.process.returncode

    def wait_text(self, words: str, seconds: float = DEADLINE) -> None:
        """Until the words have been written since the last `forget`."""
        try:
            wait_for(lambda: words in self.text, f"{words!r} on the terminal", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; there is: {self.text[-2000:]}") from None

    def wait_screen(self, words: str, seconds: float = DEADLINE) -> None:
        """Until the words stand on it."""
        try:
            wait_for(lambda: words in self.screen, f"{words!r} on the screen", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; there is:\n{self.screen}") from None

    def forget(self) -> None:
        """What was written so far no longer counts, also what has not been read yet."""
        self._catch_up()
        with self._reading:
            self.raw = b""

    def close(self) -> None:
        """The window is closed; again is no matter."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._reader.join()
        os.close(self._master)

    def _read(self) -> None:
        while not self._closing.is_set() and self._take(0.05):
            pass

    def _catch_up(self) -> None:
        """Read all that there is."""
        while not self._closing.is_set() and self._is_readable(0.0) and self._take(0.0):
            pass

    def _take(self, seconds: float) -> bool:
        """Read what comes within this time; False once nobody has the other side open any more."""
        if not self._is_readable(seconds):
            return True
        with self._reading:
            if not self._is_readable(0.0):  # another thread was quicker
                return True
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            self._note(data)
            return bool(data)

    def _note(self, data: bytes) -> None:
        self.raw += data
        self._drawn.feed(data)

    def _is_readable(self, seconds: float) -> bool:
        return bool(select.select([self._master], [], [], seconds)[0])
