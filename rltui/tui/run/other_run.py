"""Another run to compare with: its history, read and followed by a thread of its own. Knows no Textual."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rltui.tui.run.fold import fold
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.run_reader import Journal

LOOK = 5.0  # seconds between two looks at its journal: it may still be training


@dataclass(frozen=True, slots=True)
class OtherRun:
    """problem: why its journal cannot be read; empty where it can. reading: nothing has been read yet."""

    name: str
    history: History = field(default_factory=History)
    problem: str = ""
    reading: bool = False


class OtherRuns(Protocol):
    """The runs that this program can see."""

    def names(self) -> Sequence[str]:
        """In the order of lists. Raises OSError where the data folder cannot be read."""

    def journal(self, name: str) -> Journal: ...


class OtherReader(threading.Thread):
    """publish(OtherRun) is called from this thread: once when all is read, then whenever rows have come."""

    def __init__(self, name: str, runs: OtherRuns, publish: Callable[[OtherRun], None]) -> None:
        super().__init__(name=f"reader of {name}, to compare", daemon=True)
        self._run, self._runs, self._publish = name, runs, publish
        self._leave = threading.Event()

    def stop(self) -> None:
        """Ends the thread soon; nothing is published any more."""
        self._leave.set()

    def run(self) -> None:
        try:
            self._follow(self._runs.journal(self._run))
        except Exception as error:  # whatever a foreign journal holds, the cockpit goes on and says so
            self._say(OtherRun(self._run, problem=f"{type(error).__name__}: {error}"))

    def _follow(self, journal: Journal) -> None:
        snapshot = RunSnapshot(run=self._run)
        said: History | None = None
        while not self._leave.is_set():
            while (records := journal.poll()) and not self._leave.is_set():
                snapshot = fold(snapshot, records)
            if snapshot.history is not said:
                said = snapshot.history
                self._say(OtherRun(self._run, said))
            self._leave.wait(LOOK)

    def _say(self, run: OtherRun) -> None:
        if not self._leave.is_set():
            self._publish(run)


def neighbour(names: Sequence[str], now: str, step: int) -> str:
    """The run after (1) or before (-1) `now` in the list, around its ends; the first or last where `now` is not in it."""
    if now not in names:
        return names[0] if step > 0 else names[-1]
    return names[(names.index(now) + step) % len(names)]
