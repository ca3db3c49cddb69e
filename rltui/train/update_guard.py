"""UpdateGuard: what an update says of itself. Dropped ones are counted, and too many in a row end the run."""

from __future__ import annotations

import time
from collections.abc import Callable

from rltui.errors import RltuiError
from rltui.events.records import LogLine, Record, UpdateDropped
from rltui.learn.report import UpdateReport
from rltui.train.live_controls import LoopState

DROPS = 3  # dropped updates in a row that stop the run


class NotFinite(RltuiError):
    """The learner's non-finite guard dropped too many updates in a row."""


class UpdateGuard:
    """tell: records for the journal."""

    def __init__(self, loop: LoopState, tell: Callable[[Record], None]) -> None:
        self._loop, self._tell = loop, tell
        self._in_a_row = 0
        self._learned, self._newest_drop = False, ""  # whether an update has reached the weights; why one did not
        self._noted: set[str] = set()

    @property
    def nothing_learned(self) -> str:
        """Why the newest update was dropped, where not one has reached the weights; else ""."""
        return "" if self._learned else self._newest_drop

    def hear(self, report: UpdateReport) -> None:
        """Raises NotFinite."""
        if report.dropped is None:
            self._in_a_row, self._learned = 0, True
        else:
            self._count(report.dropped)
        for note in report.notes:
            self._note(note)

    def _count(self, source: str) -> None:
        self._in_a_row += 1
        self._newest_drop = source
        self._tell(
            UpdateDropped(
                time=time.time(),
                iteration=self._loop.iteration,
                timesteps=self._loop.timesteps,
                source=source,
                in_a_row=self._in_a_row,
            )
        )
        if self._in_a_row >= DROPS:
            raise NotFinite(f"stopped: {DROPS} updates in a row were not finite; the newest: {source}")

    def _note(self, note: str) -> None:
        """What a user should know, once each."""
        if note not in self._noted:
            self._noted.add(note)
            self._tell(LogLine(time=time.time(), level="warning", source="learner", message=note))
