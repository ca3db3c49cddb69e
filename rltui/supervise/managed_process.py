"""ManagedProcess: a program of ours that runs beside us: trainer, viewer, evaluator, a foreign script."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.supervise.process_tree import ProcessTree
from rltui.supervise.stop_ladder import Ending, stop_tree

# Windows' way to keep a console's Ctrl-C and its closing from reaching the process.
_OWN_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)


class ManagedProcess:
    """Started in a session of its own, so that no terminal's signals reach it; nothing to read, output into a file.

    It outlives this object: only `stop` ends it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """name: what people call it, say "trainer". env: variables on top of this process's own."""
        self.name = name
        self.log = log
        self._command, self._cwd, self._env = list(command), cwd, dict(env or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._tree: ProcessTree | None = None

    @property
    def pid(self) -> int:
        return self._running().pid

    def pids(self) -> set[int]:
        """Its own pid; on Windows also its children's, for a virtual environment's python.exe only starts the real one."""
        if sys.platform != "win32" or self._tree is None:
            return {self.pid}
        self._tree.look()
        return {self.pid, *(process.pid for process in self._tree.alive())}

    def start(self) -> None:
        """Start it. RltuiError when the system will not."""
        try:
            with safe_io.open_to_append(self.log) as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self._cwd,
                    env={**os.environ, **self._env},
                    start_new_session=True,
                    creationflags=_OWN_GROUP,
                )
        except OSError as error:
            raise RltuiError(f"cannot start the {self.name}: {error}", f"command: {' '.join(self._command)}") from error
        self._tree = ProcessTree(self._process.pid, session=True)

    def poll(self) -> int | None:
        """The exit code (-N: ended by signal N); None while it runs."""
        return self._running().poll()

    def wait(self, seconds: float) -> int | None:
        """The exit code; None where it still runs after `seconds`."""
        try:
            return self._running().wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, seconds: float = 10.0, ask: Callable[[], None] | None = None) -> Ending:
        """Climb the stop ladder, at most `seconds` long, with the process and everything that it started."""
        self._running()
        assert self._tree is not None
        ending = stop_tree(self._tree, seconds, ask)
        self.poll()
        return ending

    def tail(self, lines: int = 20) -> str:
        """The last lines that it wrote."""
        return tail(self.log, lines)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError(f"the {self.name} was not started")
        return self._process


def tail(file: Path, lines: int = 20, limit: int = 1 << 16) -> str:
    """The last lines of a text file, of at most `limit` bytes; empty where there is none."""
    try:
        with safe_io.open_to_read(file) as source:
            source.seek(max(source.seek(0, os.SEEK_END) - limit, 0))
            text = source.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
