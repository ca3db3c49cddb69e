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
from pathlib import Path

from tests.fakes.training import DEADLINE, wait_for

CONTROL = re.compile(rb"\x1b(\[[0-9;?<>=:]*[a-zA-Z~]|\][^\x07\x1b]*(\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[()][A-Z0-9]|.)")


class Terminal:
    """`rltui …` on a pseudo-terminal of a given size."""

    def __init__(
        self, folder: Path, *arguments: str, columns: int = 120, rows: int = 40, controlling: bool = True
    ) -> None:
        """controlling: closing it hangs up, as in a real window; else nothing tells the program but the terminal itself."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rltui", *arguments],
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
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """All text ever written, without control sequences; words stand whole, their places on the screen do not."""
        return CONTROL.sub(b"\n", self.raw).decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_text(self, words: str, seconds: float = DEADLINE) -> None:
        """Until the words have been written since the last `forget`."""
        wait_for(lambda: words in self.text, f"{words!r} on the terminal; there is: {self.text[-2000:]}", seconds)

    def forget(self) -> None:
        """What was written so far no longer counts."""
        self.raw = b""

    def close(self) -> None:
        """The window is closed."""
        self._closing.set()
        self._reader.join()
        os.close(self._master)

    def _read(self) -> None:
        while not self._closing.is_set():
            if not select.select([self._master], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self.raw += data
