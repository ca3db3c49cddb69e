"""Messenger: hears what the run that is looked at says, and tells what is worth telling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rltui.tui.notices.herald import Herald, Notice
from rltui.tui.notices.teller import Teller

if TYPE_CHECKING:
    from rltui.tui.run.model import RunSnapshot


class Messenger:
    """clock: Unix seconds."""

    def __init__(self, teller: Teller, clock: Callable[[], float]) -> None:
        self._teller, self._clock = teller, clock
        self._herald = Herald(clock())
        self.begin, self.end = teller.begin, teller.end

    def follow(self) -> None:
        """Another run from now on."""
        self._herald = Herald(self._clock())

    def hear(self, before: RunSnapshot, now: RunSnapshot) -> None:
        """The run has said something."""
        self._tell(self._herald.hear(before, now))

    def look(self, snapshot: RunSnapshot | None) -> None:
        """Every second: a trainer that has gone without a word says so to nobody. None: no run is looked at."""
        moment = self._clock()
        self._tell(self._herald.tick(snapshot, moment) if snapshot is not None else ())
        self._teller.name_run(snapshot, moment)

    def _tell(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            self._teller.tell(notice)
