"""A run on this machine's disk, as the reader thread wants it: its journal, its trainer's socket, its process."""

from __future__ import annotations

from collections.abc import Callable

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.journal import LARGEST_PART
from rltui.runs.journal_cache import CachedJournal
from rltui.runs.lock import holder
from rltui.runs.paths import RunPaths
from rltui.supervise.control_client import ControlClient

CONNECT_SECONDS = 1.0
OUTPUT_LINES = 40


class RunFiles:
    """launched: says whether the trainer that was just started for this run still lives; it takes its lock later."""

    def __init__(self, paths: RunPaths, *, readonly: bool = False, launched: Callable[[], bool] | None = None) -> None:
        self.paths, self._readonly, self._launched = paths, readonly, launched

    @property
    def name(self) -> str:
        return self.paths.name

    def journal(self) -> CachedJournal:
        """RltuiError for one that cannot be read, as a journal that is not there yet can."""
        if problem := safe_io.problem(self.paths.journal, LARGEST_PART):
            raise RltuiError(f"{self.paths.journal} cannot be read: {problem}", "mend it or move it away")
        return CachedJournal(self.paths.journal)

    def connect(self) -> ControlClient:
        client = ControlClient(readonly=self._readonly)
        client.connect(self.paths, CONNECT_SECONDS)
        return client

    def alive(self) -> bool:
        return holder(self.paths) is not None or (self._launched is not None and self._launched())

    def gone(self) -> bool:
        return not self.paths.folder.is_dir()

    def last_output(self) -> str:
        from rltui.supervise.processes import tail  # with psutil, seldom needed

        return tail(self.paths.log, OUTPUT_LINES) if self.paths.log.is_file() else ""
