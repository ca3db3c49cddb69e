"""ManagedProcess: a program of ours that runs beside us. One ladder with one deadline ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rltui.errors import RltuiError
from rltui.supervise.process_tree import ProcessTree

# Shares of the deadline: the process gets most of it to end by itself, the kernel needs little for a kill.
ASK_SHARE, TERMINATE_SHARE = 0.6, 0.9


@dataclass(frozen=True)
class Ending:
    """How a stop went."""

    how: Literal["had ended", "when asked", "terminated", "killed", "would not die"]
    exit_code: int | None
    seconds: float


class ManagedProcess:
    """Trainer, viewer, evaluator or a foreign script: started in a session of its own, output into a file.

    name: what people call it. A process outlives this object; nothing is killed behind anybody's back.
    """

    def __init__(
        self, name: str, command: Sequence[str], log: Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """env: variables added to this process's own."""
        self.name = name
        self.log = log
        self._command = list(command)
        self._cwd = cwd
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None
        self._tree: ProcessTree | None = None

    @property
    def pid(self) -> int:
        return self._started().pid

    def start(self) -> None:
        """Start it, appending to the log, with nothing to read. RltuiError when the system will not start it."""
        try:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self._cwd,
                    env={**os.environ, **(self._env or {})},
                    start_new_session=True,
                )
        except OSError as error:
            raise RltuiError(f"cannot start the {self.name}: {error}", f"command: {' '.join(self._command)}") from error
        self._tree = ProcessTree(self._process.pid)

    def poll(self) -> int | None:
        """The exit code (−N: ended by signal N); None while it runs."""
        return self._started().poll()

    def wait(self, seconds: float) -> int | None:
        """The exit code; None where it still runs after `seconds`."""
        try:
            return self._started().wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, seconds: float = 10.0, ask: Callable[[], None] | None = None) -> Ending:
        """Ask → wait → SIGTERM the tree → wait → SIGKILL, all within `seconds`. Children left behind count as alive.

        ask: how it is asked to end by itself, say a Stop on its control socket; may raise RltuiError or OSError. Without it the
        ladder begins at SIGTERM.
        """
        tree = ProcessTree(self.pid) if self._tree is None else self._tree
        begun = time.monotonic()
        how = self._climb(tree, begun, seconds, ask)
        return Ending(how, self.poll(), time.monotonic() - begun)

    def tail(self, lines: int = 20) -> str:
        """The last lines that it wrote."""
        return tail(self.log, lines)
