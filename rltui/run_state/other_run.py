"""OtherReader: thread that reads a second run to compare with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rltui import formatting
from rltui.errors import in_words
from rltui.events.records import RunStarted
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.reader import JournalSource
from rltui.run_state.snapshot import RunSnapshot
from rltui.runs.journal_cache import CachedJournal
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_run

LOOK = 5.0  # seconds between two looks at its journal: it may still be training


@dataclass(frozen=True, slots=True)
class RunBrief:
    """state: as RunSummary has it. updated: Unix seconds of the newest record or checkpoint. Unknown is None."""

    name: str
    state: str = ""
    profile: str | None = None
    timesteps: int | None = None
    updated: float | None = None


def run_lines(briefs: Sequence[RunBrief], now: float) -> list[str]:
    """`phase-1-ball-touching   12.4 M timesteps  training`: columns one below the other; of what trains not its age."""
    profiles = [brief.profile or formatting.UNKNOWN for brief in briefs]
    widest = max((len(profile) for profile in profiles), default=0)
    return [_note(brief, profile, widest, now) for brief, profile in zip(briefs, profiles, strict=True)]


def _note(brief: RunBrief, profile: str, widest: int, now: float) -> str:
    last = (
        "training"
        if brief.state == "training"
        else formatting.ago(None if brief.updated is None else now - brief.updated)
    )
    return f"{profile:<{widest}}  {formatting.short(brief.timesteps):>7} timesteps  {last}"


@dataclass(frozen=True, slots=True)
class OtherRun:
    """problem: why its journal cannot be read; empty where it can. reading: nothing has been read yet."""

    name: str
    history: History = field(default_factory=History)
    problem: str = ""
    reading: bool = False
    header: RunStarted | None = None


class OtherRuns(Protocol):
    """The runs that this program can see."""

    def names(self) -> Sequence[str]:
        """In the order of lists. Raises OSError where the data folder cannot be read."""

    def brief(self, name: str) -> RunBrief:
        """Profile, timesteps, age; with little reading."""

    def journal(self, name: str) -> JournalSource: ...


class OtherReader(threading.Thread):
    """publish(OtherRun) is called from this thread: once when all is read, then whenever rows have come."""

    def __init__(
        self,
        name: str,
        runs: OtherRuns,
        publish: Callable[[OtherRun], None],
        words: Callable[[BaseException], str] = in_words,
    ) -> None:
        """words: for what ends the thread."""
        super().__init__(name=f"reader of {name}, to compare", daemon=True)
        self._run, self._runs, self._publish, self._words = name, runs, publish, words
        self._leave = threading.Event()

    def stop(self) -> None:
        """Ends the thread soon; nothing is published any more."""
        self._leave.set()

    def run(self) -> None:
        try:
            self._follow(self._runs.journal(self._run))
        except Exception as error:  # whatever a foreign journal holds, the cockpit goes on and says so
            self._say(OtherRun(self._run, problem=self._words(error)))

    def _follow(self, journal: JournalSource) -> None:
        snapshot = RunSnapshot(run=self._run)
        published: History | None = None
        while not self._leave.is_set():
            while (records := journal.poll()) and not self._leave.is_set():
                snapshot = fold(snapshot, records)
            if snapshot.history is not published:
                published = snapshot.history
                self._say(OtherRun(self._run, published, header=snapshot.header))
            self._leave.wait(LOOK)

    def _say(self, run: OtherRun) -> None:
        if not self._leave.is_set():
            self._publish(run)


def adjacent_run(names: Sequence[str], now: str, step: int) -> str:
    """The run after (1) or before (-1) `now` in the list, around its ends; the first or last where `now` is not in it."""
    if now not in names:
        return names[0] if step > 0 else names[-1]
    return names[(names.index(now) + step) % len(names)]


class RunsOnDisk:
    """other_run.OtherRuns, from files."""

    def __init__(self, data: DataDir) -> None:
        self._data = data

    def names(self) -> list[str]:
        """In the order of lists. Raises OSError where the folder cannot be read."""
        return list(self._data.run_names())

    def brief(self, name: str) -> RunBrief:
        """As `rltui ls` has it."""
        found = describe_run(self._data.run(name), brief=True)
        return RunBrief(name, found.state, found.phase_profile or found.profile, found.timesteps, found.updated)

    def journal(self, name: str) -> CachedJournal:
        """Of the run; one that is not there is empty."""
        return CachedJournal(self._data.run(name).journal)
