"""A person in a tmux window: types keys, reads the screen as tmux has drawn it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.fakes.training import DEADLINE, wait_for

INSTALLED = shutil.which("tmux") is not None


class TmuxWindow:
    """`rltui …` in a shell's window of a tmux server of its own."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 120, rows: int = 40) -> None:
        self._server = f"rltui-test-{os.getpid()}-{folder.name}"
        program = [sys.executable, "-m", "rltui", *arguments]
        root = str(Path(__file__).parents[2])
        self._call("-f", os.devnull, "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
                   "env", "-u", "COLUMNS", "-u", "LINES", f"PYTHONPATH={root}", "LANG=C.UTF-8", "PS1=$ ", "sh")  # fmt: skip
        self.run(*program)

    @property
    def screen(self) -> str:
        """The screen."""
        return self._call("capture-pane", "-p").stdout

    def run(self, *program: str) -> None:
        """A command line for the shell; its exit code is shown when it has ended."""
        self._call("send-keys", "-l", " ".join(program) + '; echo "code $?."')
        self._call("send-keys", "Enter")

    def type(self, keys: str) -> None:
        for key in keys:
            if key == "\r":
                self._call("send-keys", "Enter")
            else:
                self._call("send-keys", "-l", key)

    def resize(self, columns: int, rows: int) -> None:
        self._call("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_screen(self, words: str, seconds: float = DEADLINE) -> None:
        """Until the words are on the screen."""
        try:
            wait_for(lambda: words in self.screen, f"{words!r} on the screen", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; there is:\n{self.screen}") from None

    def close(self) -> None:
        """The server and all in it."""
        subprocess.run(["tmux", "-L", self._server, "kill-server"], capture_output=True, check=False)

    def _call(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["tmux", "-L", self._server, *words], capture_output=True, text=True, check=True)
