"""Recorded runs of the real trainer, at moments of their lives, as the cockpit's reader finds them on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rltui.errors import RltuiError
from rltui.events.commands import Live, Welcome
from rltui.run_state.reader import RunFiles
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.fake_run import ME, FakeControl

JOURNALS = Path(__file__).parents[1] / "golden" / "journals"
AGE = 0.4  # seconds that the newest frame or record is old


@dataclass(frozen=True)
class Moment:
    """story: the recorded run. name: the moment of it, as tests/measure/record_journals.py calls it."""

    story: str
    name: str

    @property
    def live(self) -> Live | None:
        """What the trainer's socket said; None where nobody listens."""
        frame = _moments(self.story)[self.name]["live"]
        return None if frame is None else msgspec.convert(frame, Live)

    @property
    def now(self) -> float:
        """Unix time at which the cockpit looks."""
        time: float = _moments(self.story)[self.name]["time"]
        return time + AGE

    def put(self, data: DataDir) -> RecordedRun:
        """The run in that folder, its journal as it was at the moment."""
        paths = data.run(self.story)
        paths.folder.mkdir(parents=True)
        lines = (JOURNALS / f"{self.story}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        known = [line for line in lines if json.loads(line)["time"] <= self.now - AGE]
        paths.journal.write_text("".join(known), encoding="utf-8")
        return RecordedRun(paths, self.live, started=len(known) < 6)


class RecordedRun(RunFiles):
    """Files for a journal, a recorded frame for a trainer."""

    def __init__(self, paths: RunPaths, live: Live | None, *, started: bool = False) -> None:
        """started: the trainer's process is there though it does not listen yet."""
        super().__init__(paths, self._recorded)
        self._live, self._started = live, started

    def _recorded(self) -> FakeControl:
        if self._live is None:
            raise RltuiError(f"no trainer is running for run {self.name}")
        control = FakeControl()
        control.welcome = Welcome(self.name, 4242, 1, ME, ME)
        control.say(self._live)
        return control

    def alive(self) -> bool:
        return self._live is not None or self._started


@cache
def _moments(story: str) -> dict[str, dict[str, Any]]:
    moments: dict[str, dict[str, Any]] = json.loads((JOURNALS / f"{story}.moments.json").read_text(encoding="utf-8"))
    return moments
